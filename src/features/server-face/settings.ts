import { createHash } from 'node:crypto'
import { LANGUAGE_CODES } from '../../kernel/base/languages/languages.ts'
import {
  isHttpUrl,
  optionalSetting,
  type SettingGroup,
  type SettingValues,
} from '../../kernel/base/setting.ts'
import { DEFAULT_SERVER_NAME } from '../../kernel/hub/settings.ts'
import {
  DEFAULT_VOCABULARY,
  isVocabulary,
  MAX_VOCABULARY_CHARACTERS,
  VOCABULARY,
} from '../../kernel/protocol/vocabulary.ts'

// What a server says about itself.

export type FaceTexts = {
  readonly name: string
  /** One line. */
  readonly description: string
  /** An https url, or empty. */
  readonly picture: string
  /** The same, of a wide picture above the pages where people join. */
  readonly header: string
  /** `#0b5d57`, or empty. */
  readonly color: string
  /** The background (tokens.css of the pages); empty: a warm one. */
  readonly tone: string
  /** How round things are; empty: as they are drawn. */
  readonly corners: string
  /** An e-mail address, an https url or words. */
  readonly contact: string
  /** Markdown. */
  readonly rules: string
  /** Markdown. */
  readonly privacy: string
  /** A notice above Home for everybody, one line, or empty. */
  readonly announcement: string
  /** The last day of the notice (UTC), such as 2026-12-31; empty: until it is taken away. */
  readonly announcementEnds: string
  /** Years that members say to have reached, or empty. */
  readonly minimumAge: string
  /** `required` where pictures and videos must be described, or empty. */
  readonly descriptions: string
  /** The code of the language of who has chosen none and whose browser asks for none that there is; empty: English. */
  readonly language: string
  /** How posts are called (src/kernel/protocol/vocabulary.ts), or empty. */
  readonly posts: string
}
export type FaceField = keyof FaceTexts

/** What the operator may write in other languages too. */
export const TRANSLATED = ['name', 'description', 'rules', 'privacy', 'announcement'] as const
export type TranslatedField = (typeof TRANSLATED)[number]
export type Translation = Readonly<Partial<Record<TranslatedField, string>>>

/** Its texts in the language of the server, and the translations that belong to these. */
export type Face = FaceTexts & {
  /** By the code of the language. */
  readonly translations: Readonly<Record<string, Translation>>
}

/** `dark` is dark for whoever has not chosen light. */
const TONES = ['neutral', 'cool', 'dark'] as const
const CORNERS = ['sharp', 'round'] as const

/** 128 bits. */
const VERSION_DIGITS = 32

type Terms = {
  readonly max: number
  readonly lines?: true
  readonly pattern?: string
  readonly check?: (text: string) => boolean
  readonly what: string
}

const PICTURE: Terms = {
  max: 512,
  pattern: '^(?:|https://.+)$',
  check: (text) => isHttpUrl(text) && text.startsWith('https:'),
  what: 'an https URL',
}

function oneOf(words: readonly string[]): Terms {
  return {
    max: 16,
    pattern: `^(?:|${words.join('|')})$`,
    check: (text) => words.includes(text),
    what: words.map((word) => `“${word}”`).join(' or '),
  }
}

export const FACE_FIELDS: Readonly<Record<FaceField, Terms>> = {
  name: { max: 60, what: 'one line of at most 60 characters' },
  description: { max: 300, what: 'one line of at most 300 characters' },
  picture: PICTURE,
  header: PICTURE,
  color: {
    max: 7,
    pattern: '^(?:|#[0-9a-fA-F]{6})$',
    check: (text) => /^#[0-9a-f]{6}$/i.test(text),
    what: 'a colour like #0b5d57',
  },
  tone: oneOf(TONES),
  corners: oneOf(CORNERS),
  contact: { max: 200, what: 'one line of at most 200 characters' },
  rules: { max: 10_000, lines: true, what: 'Markdown of at most 10,000 characters' },
  privacy: { max: 20_000, lines: true, what: 'Markdown of at most 20,000 characters' },
  announcement: { max: 300, what: 'one line of at most 300 characters' },
  announcementEnds: {
    max: 10,
    pattern: '^(?:|[0-9]{4}-[0-9]{2}-[0-9]{2})$',
    check: isDay,
    what: 'a day such as 2026-12-31',
  },
  minimumAge: {
    max: 2,
    pattern: '^(?:|[1-9][0-9]?)$',
    check: (text) => /^[1-9][0-9]?$/.test(text),
    what: 'a number of years from 1 to 99',
  },
  descriptions: {
    max: 8,
    pattern: '^(?:|required)$',
    check: (text) => text === 'required',
    what: '“required”',
  },
  language: oneOf(LANGUAGE_CODES),
  posts: {
    max: MAX_VOCABULARY_CHARACTERS,
    pattern: `^(?:|${VOCABULARY})$`,
    check: isVocabulary,
    what: `six words: one, many, the verb, passing one on, many of that, and its past, such as “${DEFAULT_VOCABULARY}”`,
  },
}
export const FACE_NAMES = Object.keys(FACE_FIELDS) as FaceField[]

function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** A hash of a text. */
export const versionOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, VERSION_DIGITS)

/**
 * The version of rules, to which people agree: a hash of their text in the language of the server. A translation only says
 * the same, so a changed one asks nobody again. Empty without rules.
 */
export const rulesVersionOf = ({ rules }: Pick<FaceTexts, 'rules'>): string =>
  rules === '' ? '' : versionOf(rules)

/** Throws an Error whose message continues the name of the field. An empty text is always allowed. */
export function checkFaceText(field: FaceField, text: string): string {
  const { max, lines, check, what } = FACE_FIELDS[field]
  const control = lines ? /(?![\n\t])\p{Cc}/u : /\p{Cc}/u
  const isGood = text.length <= max && text.isWellFormed() && !control.test(text)
  if (text !== '' && !(isGood && (check?.(text) ?? true))) throw new Error(`must be ${what}`)
  return text
}

const settings = {
  serverName: optionalSetting({
    variable: 'ROOKERY_SERVER_NAME',
    what: `Name of this server, in titles, previews, /v1/info and the list of installed apps; ${DEFAULT_SERVER_NAME} unless given. The operator may write another one, with a description, picture, colour, rules and what is said about privacy.`,
    parse: (text) => checkFaceText('name', text),
  }),
  serverContact: optionalSetting({
    variable: 'ROOKERY_SERVER_CONTACT',
    what: 'Whom people can ask: an address, a URL or words. What the operator writes counts in its place.',
    parse: (text) => checkFaceText('contact', text),
  }),
}

export const FACE_SETTINGS = {
  title: 'What the server says about itself',
  settings,
} satisfies SettingGroup

export type FaceConfig = SettingValues<typeof settings>

/** What the settings say about the server. */
export const faceOf = ({ serverName, serverContact }: FaceConfig): Face => ({
  name: serverName || DEFAULT_SERVER_NAME,
  description: '',
  picture: '',
  header: '',
  color: '',
  tone: '',
  corners: '',
  contact: serverContact ?? '',
  rules: '',
  privacy: '',
  announcement: '',
  announcementEnds: '',
  minimumAge: '',
  descriptions: '',
  language: '',
  posts: '',
  translations: {},
})
