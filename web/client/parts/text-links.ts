import { addressesIn } from '../../../src/kernel/views/addresses.ts'
import { TAGS } from '../../../src/kernel/views/tags.ts'
import { webUrl } from '../../shared/links.ts'

// What leads somewhere in a text: addresses, hosts without a scheme, and tags; and how addresses are written for readers.

export type TextLink = { readonly start: number; readonly end: number } & (
  | { readonly to: string }
  | { readonly url: URL; readonly shown: string }
)

export const linksIn = (text: string): TextLink[] => [...addressLinksIn(text), ...tagsIn(text)]

const tagsIn = (text: string): TextLink[] =>
  [...text.matchAll(TAGS)].map(({ index, 0: tag }) => ({
    start: index,
    end: index + tag.length,
    to: `/search?${new URLSearchParams({ q: tag })}`,
  }))

const addressLinksIn = (text: string): TextLink[] =>
  addressesIn(text).flatMap(({ start, end, address }) => {
    const url = webUrl(address)
    return url ? [{ start, end, url, shown: shownAs(url, text.slice(start, end)) }] : []
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
