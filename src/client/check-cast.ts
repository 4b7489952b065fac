import { HASH_BYTES, MAX_MENTIONS } from '../kernel/protocol/sizes.ts'
import {
  checkFid,
  checkFields,
  checkList,
  checkName,
  checkNumber,
  checkObject,
  checkText,
  must,
} from './checks.ts'
import { type Bytes, bytesOf } from './hex.ts'

export type CastId = { readonly fid: number; readonly hash: Bytes }
/** A cast, or anything that has a URL. */
export type Target = CastId | { readonly url: string }

export type CastInit = {
  readonly text?: string
  readonly embeds?: readonly ({ readonly url: string } | { readonly castId: CastId })[]
  /** Fids; each stands where `mentionsPositions` says, and the text does not contain its name. */
  readonly mentions?: readonly number[]
  /** Offsets into the UTF-8 bytes of the text. */
  readonly mentionsPositions?: readonly number[]
  /** The cast that it answers, or the URL of a channel. */
  readonly parent?: Target
  /** Long casts have more than 320 bytes of text; the longest need a pro subscription. */
  readonly length?: 'short' | 'long' | 'pro'
}

/** Bytes of text that a cast has by its length. */
const TEXT_BYTES = { short: [0, 320], long: [321, 1_024], pro: [1_025, 10_000] } as const
const MAX_EMBEDS = 4

const CAST_ID = '{ fid: 1, hash: "0x…" }'

export function checkCast(cast: CastInit): void {
  const names = ['text', 'embeds', 'mentions', 'mentionsPositions', 'parent', 'length']
  checkFields(cast, 'the cast', names, "{ text: 'Hello' }")
  const { text = '', embeds = [], mentions = [], parent, length = 'short' } = cast
  checkText(text, 'text')
  checkName(length, 'length', Object.keys(TEXT_BYTES))
  checkLength(new TextEncoder().encode(text).length, length)
  checkList(embeds, 'embeds', checkEmbed)
  checkCount(embeds, 'embeds', MAX_EMBEDS)
  checkMentions(cast)
  if (parent !== undefined) checkTarget(parent, 'parent')
  if (text === '' && embeds.length + mentions.length === 0) {
    throw new TypeError('cast is empty: give text, embeds or mentions')
  }
}

function checkLength(bytes: number, length: keyof typeof TEXT_BYTES): void {
  const [min, max] = TEXT_BYTES[length]
  if (bytes >= min && bytes <= max) return
  const right = Object.entries(TEXT_BYTES).find(([, [, most]]) => bytes <= most)
  const advice = right ? `; give length: '${right[0]}'` : ''
  throw new TypeError(`text of a ${length} cast has ${min} to ${max} bytes, not ${bytes}${advice}`)
}

function checkCount(list: readonly unknown[], what: string, max: number): void {
  if (list.length > max) throw new TypeError(`${what} > ${max}: give ${max} at most`)
}

/** Offsets are of bytes of the text, where a character begins or the text ends, in ascending order. */
function checkMentions({ text = '', mentions = [], mentionsPositions = [] }: CastInit): void {
  checkList(mentions, 'mentions', checkFid)
  checkCount(mentions, 'mentions', MAX_MENTIONS)
  const bytes = new TextEncoder().encode(text)
  checkList(mentionsPositions, 'mentionsPositions', (one, what) => {
    checkNumber(one, what, 0, bytes.length)
    const isInside = ((bytes[Number(one)] ?? 0) & 0xc0) === 0x80
    must(!isInside, what, 'where a character begins, in bytes of UTF-8', one)
  })
  if (mentionsPositions.length !== mentions.length) {
    throw new TypeError('mentions and mentionsPositions must match: one position for each mention')
  }
  if (mentionsPositions.some((one, i) => one < (mentionsPositions[i - 1] ?? 0))) {
    throw new TypeError('mentionsPositions must be sorted in ascending order')
  }
}

function checkEmbed(value: unknown, what: string): void {
  const example = `{ url: 'https://a.example' } or { castId: ${CAST_ID} }`
  checkObject(value, what, example)
  const { url, castId } = value as { url?: unknown; castId?: unknown }
  must((url === undefined) !== (castId === undefined), what, example, value)
  if (url === undefined) checkCastId(castId, `${what}.castId`)
  else checkText(url, `${what}.url`)
}

export function checkCastId(value: unknown, what: string): void {
  checkObject(value, what, CAST_ID)
  const { fid, hash } = value as { fid: unknown; hash: never }
  checkFid(fid, `${what}.fid`)
  bytesOf(hash, `${what}.hash`, HASH_BYTES)
}

/** A cast or a URL. */
export function checkTarget(value: unknown, what: string): void {
  checkObject(value, what, `${CAST_ID} or { url: 'https://a.example' }`)
  if ('url' in (value as object)) checkText((value as { url: unknown }).url, `${what}.url`)
  else checkCastId(value, what)
}
