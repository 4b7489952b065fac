import { language } from '../../shared/meta.ts'
import { sessionFid } from '../session/session-fid.ts'
import type { Cast } from '../types.ts'

// The languages that somebody reads, of which the page asks with each post.

/** For which account, and the codes. The account has them on the server: `session/language.ts` brings them here. */
export const READS_KEY = 'rookery.reads'

/** What the account has chosen; empty: all. */
export function chosenReads(): readonly string[] {
  const fid = sessionFid()
  // Where there is a session, there is storage.
  const [of, ...codes] = fid ? (localStorage.getItem(READS_KEY) ?? '').split(' ') : []
  return of === String(fid) ? codes : []
}

/** Languages that browsers and posts have other codes for. */
const CODES: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', fil: 'tl', ms: 'id' }

const codeOf = (tag: string): string => {
  const [code = ''] = tag.split('-')
  return CODES[code] ?? code
}

/** Whether it can be told that a post is in none of the languages that were chosen, or else of the page and the browser. */
export function isForeign({ lang }: Pick<Cast, 'lang'>): boolean {
  const chosen = chosenReads()
  const reads = chosen.length > 0 ? chosen : [language, ...navigator.languages].map(codeOf)
  return lang !== undefined && !reads.includes(lang)
}
