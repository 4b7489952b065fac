import { TAGS } from '../../../src/kernel/views/tags.ts'
import { webUrl } from '../../shared/links.ts'

// What leads somewhere in a text: addresses, hosts without a scheme, and tags; and how addresses are written for readers.

export type TextLink = { readonly start: number; readonly end: number } & (
  | { readonly to: string }
  | { readonly url: URL; readonly shown: string }
)

/** Top-level names that people write without a scheme: of all countries but those that are mostly endings of files, and the usual others. */
const ENDINGS =
  '(?:a[cdefgilmoqrstuwxz]|b[abdefghijmnorstvwyz]|c[acdfghiklmnoruvwxyz]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|g[abdefghilmnpqrstuwy]|h[kmnrtu]|i[delmnoqrst]|j[emop]|k[eghimnprwyz]|l[abcikrstuvy]|m[aceghklmnopqrstuvwxyz]|n[acefgilopruz]|om|p[aefghklmnrstw]|qa|r[eouw]|s[abcdegiklmnorstvxyz]|t[cdfghjklmnortvwz]|u[agksyz]|v[aceginu]|w[fs]|y[et]|z[amw]|com|org|net|edu|gov|mil|int|info|biz|name|app|dev|xyz|online|site|blog|shop|club|page|world|news|social|town|community|berlin|рф)'
const LABEL = '[\\p{L}\\p{N}-]+\\.'
const LETTERS = '\\p{L}\\p{N}\\p{M}_'
const REST = '[^\\s<>"\'`\\p{Cc}\\p{Cf}]'
const WITH_SCHEME = `https?://${REST}+`
const WITHOUT_SCHEME =
  `(?<![${LETTERS}.@/:#&=?-])(?:www\\.(?:${LABEL})+\\p{L}{2,}|(?:${LABEL})+${ENDINGS})` +
  `(?![${LETTERS}@-]|\\.[${LETTERS}])(?::\\d{2,5})?(?:[/?#]${REST}*)?`
const ADDRESSES = new RegExp(`${WITH_SCHEME}|${WITHOUT_SCHEME}`, 'giu')
/** Marks that end a sentence rather than an address. */
const TRAILING = /[.,;:!?)\]}…]+$/

export const linksIn = (text: string): TextLink[] => [...addressesIn(text), ...tagsIn(text)]

const tagsIn = (text: string): TextLink[] =>
  [...text.matchAll(TAGS)].map(({ index, 0: tag }) => ({
    start: index,
    end: index + tag.length,
    to: `/search?${new URLSearchParams({ q: tag })}`,
  }))

const addressesIn = (text: string): TextLink[] =>
  [...text.matchAll(ADDRESSES)].flatMap(({ index, 0: match }) => {
    const found = match.replace(TRAILING, '')
    const url = webUrl(/^https?:/i.test(found) ? found : `https://${found}`)
    return url ? [{ start: index, end: index + found.length, url, shown: shownAs(url, found) }] : []
  })

/** As it was written where its host cannot pass for another one, else as it is sent. */
function shownAs(url: URL, written: string): string {
  const host = written.replace(/^https?:\/\//i, '').split(/[/?#]/, 1)[0]!
  return urlText(url, isDistinct(host) ? host : url.host)
}

/** Each of letters that look like none of another alphabet. Cyrillic and Greek hosts are, where their ending is too. */
const DISTINCT = new RegExp(
  `^(?:[${['Cyrillic', 'Greek'].map((one) => `\\p{Script=${one}}\\d.-]+`).join('|[')}|` +
    `(?:(?:[a-z\\d-]+|${[
      ['Arabic'],
      ['Hebrew'],
      ['Devanagari'],
      ['Bengali'],
      ['Tamil'],
      ['Thai'],
      ['Georgian'],
      ['Hangul'],
      ['Han', 'Hiragana', 'Katakana'],
    ]
      .map((scripts) => `[${scripts.map((one) => `\\p{Script=${one}}`).join('')}\\p{M}\\d-]+`)
      .join('|')})(?:\\.|$))+)$`,
  'u',
)
const isDistinct = (host: string) => DISTINCT.test(host) && /[^\0-\x7f]/.test(host)

const MAX_PATH_CHARACTERS = 40
/** What could hide, break the line or be taken for the text around it stays escaped. */
const UNSAFE = /[^\x21-\x7e\p{L}\p{M}\p{N}]/gu

/** An address without its scheme. Letters of every script are readable in its path; its host is as it is sent. */
export function urlText({ pathname, search, host }: URL, shownHost = host): string {
  const path = [...readable(`${pathname}${search}`.replace(/\/$/, ''))]
  return path.length > MAX_PATH_CHARACTERS
    ? `${shownHost}${path.slice(0, MAX_PATH_CHARACTERS - 1).join('')}…`
    : shownHost + path.join('')
}

function readable(path: string): string {
  try {
    return decodeURI(path).replace(UNSAFE, encodeURIComponent)
  } catch {
    return path
  }
}
