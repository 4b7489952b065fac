import { webUrl } from '../../shared/links.ts'
import { byteLength, MAX_EMBEDS } from './writes.ts'

// From what somebody types to what a cast contains: mentions leave the text and are noted by their byte
// positions, and addresses become embeds.

export type Mention = { readonly start: number; readonly end: number; readonly name: string }

/** A name after an @ that begins a word. An ENS name is taken whole: its label may be the name of somebody else. */
const MENTIONS =
  /(?<![\p{L}\p{N}_.@/-])@([a-z0-9][a-z0-9-]{0,15}(?:(?:\.[a-z0-9-]+)*\.eth(?![a-z0-9-]))?)/giu
const URLS = /https:\/\/[^\s<>"'`\p{Cc}\p{Cf}]+/giu
const TRAILING = /[.,;:!?)\]}…]+$/
export const MAX_MENTIONS = 10

export const mentionsIn = (text: string): Mention[] =>
  [...text.matchAll(MENTIONS)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    name: match[1]!.toLowerCase(),
  }))

/** The addresses that become embeds: the first ones, each once. */
export function urlsIn(text: string, max = MAX_EMBEDS): string[] {
  const found = [...text.matchAll(URLS)].flatMap(([match]) => hrefOf(match) ?? [])
  return [...new Set(found)].slice(0, max)
}

const hrefOf = (match: string) => webUrl(match.replace(TRAILING, ''))?.href

/** The address that the caret is in, or at the end of: it may still be typed. */
export function urlAt(text: string, caret: number): string | undefined {
  const found = [...text.matchAll(URLS)].find(
    ({ index, 0: match }) => index < caret && caret <= index + match.length,
  )
  return found && hrefOf(found[0])
}

/** A name of the public DNS: labels, and a top-level name of letters. */
const HOST =
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

/** Whether the host of an address may exist, so that it is worth asking. */
export const hasPlausibleHost = (url: string): boolean => HOST.test(new URL(url).hostname)

/** The text without the mentions of known names, and where they were. */
export function withoutMentions(text: string, fids: ReadonlyMap<string, number>) {
  const known = mentionsIn(text)
    .filter(({ name }) => fids.has(name))
    .slice(0, MAX_MENTIONS)
  let rest = ''
  let from = 0
  const positions: number[] = []
  for (const { start, end } of known) {
    rest += text.slice(from, start)
    positions.push(byteLength(rest))
    from = end
  }
  return {
    text: rest + text.slice(from),
    mentions: known.map(({ name }) => fids.get(name)!),
    mentionsPositions: positions,
  }
}

/** The name that is being typed at the cursor, if it is one. */
export function nameAt(text: string, cursor: number): Mention | undefined {
  const match = /(?<![\p{L}\p{N}_.@/-])@([a-z0-9-]{1,16})$/iu.exec(text.slice(0, cursor))
  return match ? { start: match.index, end: cursor, name: match[1]!.toLowerCase() } : undefined
}
