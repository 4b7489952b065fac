import { t } from '../../shared/messages.ts'

// Names that look like names of others.

const LATIN = /\p{Script=Latin}/u
/** Alphabets with letters that look like Latin ones. */
const SIMILAR = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
/** Cyrillic and Greek letters that look the same as Latin ones: words of nothing else look Latin. */
const LATIN_LOOKING = /^[авеікмнорстухѕјһԁԛԝАВЕІКМНОРСТУХЅЈαικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\d._-]+$/u

/** Why a display name may be meant to deceive; undefined when it does not look so. */
export function doubtAbout(name: string, username: string | undefined): string | undefined {
  const words = name.split(/\s+/)
  if (words.some((word) => SIMILAR.test(word) && (LATIN.test(word) || LATIN_LOOKING.test(word)))) {
    return t('This name has letters of another alphabet that look like Latin ones.')
  }
  const claimed = /^@(\S+)/.exec(name)?.[1]?.toLowerCase()
  if (claimed !== undefined && claimed !== username) {
    return t('This name is written like a username, but it is not the username.')
  }
  return undefined
}
