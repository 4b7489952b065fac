import { faultyParam } from '../http/faults.ts'
import { described, type Param, withDefault } from '../http/params.ts'

// What the client platform takes in queries, with the complaints of the validator that its clients know.

const MAX_FID = 2 ** 32 - 1
/** As declared by the deployed platform. */
const MAX_CURSOR_CHARACTERS = 1_024
const INTEGER = /^-?\d{1,16}$/

const integerParam = ({ min, max }: { min: number; max: number }): Param<number> => ({
  schema: { type: 'integer', minimum: min, maximum: max },
  parse: (text, field) => {
    if (!INTEGER.test(text))
      throw faultyParam(field, 'type', { type: 'integer' }, 'must be integer')
    const value = Number(text)
    if (value < min) {
      throw faultyParam(field, 'minimum', { comparison: '>=', limit: min }, `must be >= ${min}`)
    }
    if (value > max) {
      throw faultyParam(field, 'maximum', { comparison: '<=', limit: max }, `must be <= ${max}`)
    }
    return value
  },
})

export const fid: Param<number> = integerParam({ min: 1, max: MAX_FID })

/** Items on a page; more than the most is refused, as the deployed platform does. */
export const limit = (options: { default: number; max: number }): Param<number> =>
  withDefault(
    described(integerParam({ min: 1, max: options.max }), 'Items on a page.'),
    options.default,
  )

/** Any text: a malformed id is an unknown one. */
export const text: Param<string> = { schema: { type: 'string' }, parse: (value) => value }

/** One of some words; none at all is none of them, as at the deployed platform. */
export const oneOf = <const W extends string>(...words: W[]): Param<W> => {
  const message = 'must be equal to one of the allowed values'
  const refusal = (field: string) => faultyParam(field, 'enum', { allowedValues: words }, message)
  return {
    schema: { type: 'string', enum: words },
    missing: refusal,
    parse: (value, field) => {
      const word = words.find((one) => one === value)
      if (word === undefined) throw refusal(field)
      return word
    },
  }
}

/** A text that a pattern describes. */
export const matching = (pattern: RegExp): Param<string> => ({
  schema: { type: 'string', pattern: pattern.source },
  parse: (value, field) => {
    if (pattern.test(value)) return value
    const { source } = pattern
    throw faultyParam(field, 'pattern', { pattern: source }, `must match pattern "${source}"`)
  },
})

/** Where the page before ended: the values that its list is ordered by, in the list's order. */
export type Position = readonly (number | string)[]

/** The position in a cursor, or undefined for the first page. `shape` has one letter a value: n or s. */
export const cursor = (shape: string): Param<Position | undefined> => ({
  schema: { type: 'string', maxLength: MAX_CURSOR_CHARACTERS },
  description: 'next.cursor of the page before; leave it out for the first page.',
  absent: () => undefined,
  parse: (value, field) => {
    const position = value.length > MAX_CURSOR_CHARACTERS ? undefined : readPosition(value)
    if (position && position.map((part) => typeof part).join() === typesOf(shape)) return position
    throw faultyParam(field, 'format', { format: 'cursor' }, 'must be a cursor of this list')
  },
})

const typesOf = (shape: string) =>
  [...shape].map((letter) => (letter === 'n' ? 'number' : 'string')).join()

function readPosition(value: string): Position | undefined {
  try {
    const { after } = JSON.parse(Buffer.from(value, 'base64url').toString())
    // A zero character is what no text of ours has and PostgreSQL does not take.
    const isValue = (part: unknown) =>
      typeof part === 'string' ? !part.includes('\0') : Number.isSafeInteger(part)
    return Array.isArray(after) && after.every(isValue) ? after : undefined
  } catch {
    return undefined
  }
}

/** An answer with a page of a list: `next` only when more is left. `rows` has one row more than fits. */
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

export const encodeCursor = (after: Position): string =>
  Buffer.from(JSON.stringify({ after })).toString('base64url')
