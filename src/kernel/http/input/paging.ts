import { Rejection } from '../../protocol/rejection.ts'
import { MAX_PAGE_SIZE, type PageRequest } from '../../storage/reads/page.ts'
import { type ErrorStyle, plainStyle } from '../faults.ts'
import {
  boolParam,
  described,
  intParam,
  isNoPlace,
  ofPage,
  type Param,
  withDefault,
} from './params.ts'

// Two kinds of paging. The hub and the accounts interface have page tokens (bytes of a key, in base64) and
// cap the page size. The client platform has cursors (values in JSON, in base64url) and refuses a page
// that is too large. Both as the deployed systems do.

const WHOLE_NUMBER = /^-?[0-9]{1,20}$/

/** Items on a page. A size above the maximum is lowered to it. */
export const pageSizeParam: Param<number> = {
  schema: { type: 'integer', minimum: 0, default: MAX_PAGE_SIZE },
  description: `Items on a page. 0, or a value above ${MAX_PAGE_SIZE}, counts as ${MAX_PAGE_SIZE}.`,
  absent: () => MAX_PAGE_SIZE,
  parse: (text, field) => {
    if (!WHOLE_NUMBER.test(text)) throw invalid(field, 'must be an integer')
    const size = Number(text)
    if (size < 0) throw invalid(field, 'must be at least 0')
    return Math.min(size || MAX_PAGE_SIZE, MAX_PAGE_SIZE)
  },
}

const invalid = (field: string, message: string): Rejection =>
  new Rejection('bad_request.invalid_param', `${field} ${message}`, { field })

/** A page token is the key of a list position, and no key is longer. */
const MAX_PAGE_TOKEN_BYTES = 512
const BASE64_ALPHABET = /^[A-Za-z0-9+/_-]*$/
/** 512 bytes are 170 groups of four digits and one of three. */
const PAGE_TOKEN_PATTERN = '^(?:[A-Za-z0-9+/_-]{4}){0,170}(?:[A-Za-z0-9+/_-]{2,3})?={0,2}$'

/**
 * The position where the previous page ended; undefined is the first page. Clients are known to paste it
 * unescaped (a plus arrives as a space), and to send it back as `nextPageToken`.
 */
export const pageTokenParam: Param<Uint8Array | undefined> = {
  schema: { type: 'string', pattern: PAGE_TOKEN_PATTERN },
  description: 'The nextPageToken of the previous page; leave it out for the first page.',
  aliases: ['nextPageToken'],
  absent: () => undefined,
  parse: (text, field) => {
    if (isNoPlace(text)) return undefined
    const token = text.replaceAll(' ', '+')
    const digits = token.slice(0, digitsEnd(token))
    const padding = token.length - digits.length
    if (padding > 2 || digits.length % 4 === 1 || !BASE64_ALPHABET.test(digits)) {
      throw invalid(field, 'must be base64')
    }
    const bytes = Buffer.from(digits, 'base64')
    if (bytes.length > MAX_PAGE_TOKEN_BYTES) throw invalid(field, 'is too long')
    return bytes.length === 0 ? undefined : bytes
  },
}

/** Where the padding of base64 begins. A loop, because `/=+$/` takes quadratic time on hostile text. */
function digitsEnd(token: string): number {
  let end = token.length
  while (end > 0 && token.charCodeAt(end - 1) === 0x3d) end -= 1
  return end
}

/** The parameters of a list with page tokens. */
export const paging = {
  pageSize: pageSizeParam,
  pageToken: pageTokenParam,
  reverse: described(boolParam, 'The newest first.'),
}

export type Paging = { pageSize: number; pageToken: Uint8Array | undefined; reverse: boolean }

/** The page that the parameters of `paging` ask for. */
export const pageOf = ({ pageSize, pageToken, reverse }: Paging): PageRequest => ({
  size: pageSize,
  token: pageToken,
  reverse,
})

/** Items on a page of a list with cursors. A value above the maximum is refused. */
export const limitParam = (options: {
  default: number
  max: number
  style?: ErrorStyle
}): Param<number> => {
  const { default: value, max, style = plainStyle } = options
  return ofPage(withDefault(described(intParam({ min: 1, max, style }), 'Items on a page.'), value))
}

/** The values by which a list is ordered, of the last item of the previous page. */
export type Position = readonly (number | string)[]

/** As declared by the deployed platform. */
const MAX_CURSOR_CHARACTERS = 1_024

/**
 * The position where the previous page ended, or undefined for the first page. `shape` has one letter for
 * each value of the position: n for a number, s for a text.
 */
export const cursorParam = (
  shape: string,
  { style = plainStyle }: { style?: ErrorStyle } = {},
): Param<Position | undefined> => ({
  refuseOther: (field) => style(field, { keyword: 'format', format: 'cursor' }),
  schema: { type: 'string', maxLength: MAX_CURSOR_CHARACTERS, pattern: '^[A-Za-z0-9_-]+$' },
  description: 'The next.cursor of the previous page; leave it out for the first page.',
  absent: () => undefined,
  parse: (value, field) => {
    const position = value.length > MAX_CURSOR_CHARACTERS ? undefined : readPosition(value)
    if (position && position.map((part) => typeof part).join() === typesOf(shape)) return position
    throw style(field, { keyword: 'format', format: 'cursor' })
  },
})

const typesOf = (shape: string) =>
  [...shape].map((letter) => (letter === 'n' ? 'number' : 'string')).join()

function readPosition(value: string): Position | undefined {
  try {
    const { after } = JSON.parse(Buffer.from(value, 'base64url').toString())
    // PostgreSQL does not take a NUL character in a text, and no stored text has one.
    const isValue = (part: unknown) =>
      typeof part === 'string' ? !part.includes('\0') : Number.isSafeInteger(part)
    return Array.isArray(after) && after.every(isValue) ? after : undefined
  } catch {
    return undefined
  }
}

/**
 * The answer with one page of a list, with `next` only when there are more items. `rows` must hold one row
 * more than fits whenever there is one.
 */
export function pageReply<T, R extends object>(
  rows: readonly T[],
  limit: number,
  positionOf: (row: T) => Position,
  result: (items: T[]) => R,
): { result: R; next?: { cursor: string } } {
  const items = rows.slice(0, limit)
  if (rows.length <= limit) return { result: result(items) }
  const after = positionOf(items.at(-1)!)
  return { result: result(items), next: { cursor: encodeCursor(after) } }
}

/** Writes a position as the cursor that `cursorParam` reads. */
export const encodeCursor = (after: Position): string =>
  Buffer.from(JSON.stringify({ after })).toString('base64url')
