import type { Param } from '../http/input/params.ts'
import { Rejection } from '../protocol/rejection.ts'

// The place where a page ended, as clients carry it: the list and the key of its last row. It is opaque:
// only this server reads it.

/** A number or the bytes of a hash, in the order of the list. */
export type CursorPart = number | Uint8Array
/** What a list is ordered by: n for a number below 2^53, h for bytes of up to 64. */
export type CursorShape = readonly ('n' | 'h')[]

/** One number for each list, so that the cursor of one list is refused by the others. */
export const LISTS = {
  following: 1,
  userCasts: 2,
  userRepliesAndRecasts: 3,
  fids: 4,
  place: 5,
  conversation: 6,
  search: 7,
  quotes: 8,
  castReactions: 9,
  userReactions: 10,
  followers: 11,
  followed: 12,
  reciprocal: 13,
  blocks: 14,
  mutes: 15,
  bans: 16,
  channels: 17,
  channelFollowers: 18,
  channelMembers: 19,
  channelInvites: 20,
  channelActivity: 21,
  userChannels: 22,
  channelSearch: 23,
  memberships: 24,
  notifications: 25,
  userSearch: 26,
  trending: 27,
  forYou: 28,
  activeChannels: 29,
  ranked: 30,
  newest: 31,
} as const
export type ListName = keyof typeof LISTS

const MAX_CURSOR_CHARACTERS = 256
const NUMBER_BYTES = 7
const MAX_BYTES = 64

/** The cursor of a page that ended with a row of this key. */
export function encodeCursor(list: ListName, parts: readonly CursorPart[]): string {
  const chunks = parts.map((part) => {
    if (typeof part !== 'number') return Buffer.concat([Buffer.of(part.length), part])
    const bytes = Buffer.alloc(NUMBER_BYTES)
    bytes.writeUIntBE(Math.floor(part / 2 ** 32), 0, 3)
    bytes.writeUInt32BE(part % 2 ** 32, 3)
    return bytes
  })
  return Buffer.concat([Buffer.of(LISTS[list]), ...chunks]).toString('base64url')
}

/** Reads the cursor of a list; undefined for anything else. */
function decodeCursor(text: string, list: ListName, shape: CursorShape): CursorPart[] | undefined {
  if (text.length > MAX_CURSOR_CHARACTERS || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text || bytes[0] !== LISTS[list]) return undefined
  const parts: CursorPart[] = []
  let at = 1
  for (const kind of shape) {
    const length = kind === 'n' ? NUMBER_BYTES : (bytes[at++] ?? MAX_BYTES + 1)
    if (length > MAX_BYTES || at + length > bytes.length) return undefined
    const part = bytes.subarray(at, at + length)
    at += length
    if (kind === 'h') parts.push(part)
    else parts.push(part.readUIntBE(0, 3) * 2 ** 32 + part.readUInt32BE(3))
  }
  const isWhole = at === bytes.length
  return isWhole && parts.every(isSafe) ? parts : undefined
}

const isSafe = (part: CursorPart): boolean => typeof part !== 'number' || Number.isSafeInteger(part)

type PartsOf<S extends CursorShape> = {
  -readonly [I in keyof S]: S[I] extends 'n' ? number : Uint8Array
}

const CURSOR_SCHEMA = {
  type: 'string',
  maxLength: MAX_CURSOR_CHARACTERS,
  pattern: '^[A-Za-z0-9_-]+$',
}
const CURSOR_DESCRIPTION = 'The next.cursor of the previous page; leave it out for the first page.'

/** The place where the previous page of a list ended; undefined for its first page. */
export const cursorParam = <const S extends CursorShape>(
  list: ListName,
  shape: S,
): Param<PartsOf<S> | undefined> => ({
  refuseOther: refused,
  schema: CURSOR_SCHEMA,
  description: CURSOR_DESCRIPTION,
  absent: () => undefined,
  parse: (text, field) => {
    const parts = decodeCursor(text, list, shape)
    if (!parts) throw refused(field)
    return parts as PartsOf<S>
  },
})

/** A page as answers have it: `next.cursor` is null exactly when nothing is left. */
export const nextOf = (
  list: ListName,
  parts: readonly CursorPart[] | undefined,
): { cursor: string | null } => ({ cursor: parts ? encodeCursor(list, parts) : null })

/** Where the page of one of several lists ended. */
export type ListCursor<S extends CursorShape> = {
  readonly list: ListName
  readonly parts: PartsOf<S>
}

const refused = (field: string): Rejection =>
  new Rejection('bad_request.invalid_param', `${field} must be a cursor of this list`, {
    field,
    reason: 'InvalidCursor',
  })

/** The same for a call that has several lists; `partsOf` refuses the cursor of another one. */
export const cursorsParam = <const S extends CursorShape>(
  lists: readonly ListName[],
  shape: S,
): Param<ListCursor<S> | undefined> => ({
  refuseOther: refused,
  schema: CURSOR_SCHEMA,
  description: CURSOR_DESCRIPTION,
  absent: () => undefined,
  parse: (text, field) => {
    for (const list of lists) {
      const parts = decodeCursor(text, list, shape)
      if (parts) return { list, parts: parts as PartsOf<S> }
    }
    throw refused(field)
  },
})

/** The place in this list. Throws a Rejection for the cursor of another one. */
export function partsOf<S extends CursorShape>(
  cursor: ListCursor<S> | undefined,
  list: ListName,
): PartsOf<S> | undefined {
  if (cursor && cursor.list !== list) throw refused('cursor')
  return cursor?.parts
}
