import { encodeCursor, limitParam, cursorParam as positionParam } from '../http/input/paging.ts'
import type { Param } from '../http/input/params.ts'
import { fromHex, toHex } from '../protocol/codec/bytes.ts'
import { Rejection } from '../protocol/rejection.ts'

// Where a page of a list ended: the sort key of its last item. Bytes are hex in a cursor.

type Parts = { n: number; s: string; h: Uint8Array }
type PartsOf<S> = { readonly [I in keyof S]: Parts[S[I] & keyof Parts] }

/** The parameters of a page. The sort key of the list has a number (n), a string (s) or bytes (h) at each position. */
export const paged = <const S extends readonly (keyof Parts)[]>(
  size: { default: number; max: number },
  ...shape: S
): { limit: Param<number>; cursor: Param<PartsOf<S> | undefined> } => {
  const letters = shape.map((kind) => (kind === 'n' ? 'n' : 's')).join('')
  const param = positionParam(letters, { style: invalidCursor })
  const parse = (text: string, field: string) =>
    param.parse(text, field)?.map((part, i) => {
      const value = shape[i] === 'h' ? fromHex(String(part)) : part
      const isInvalid = value === undefined || (typeof value === 'number' && value < 0)
      if (isInvalid) throw invalidCursor(field)
      return value
    }) as PartsOf<S> | undefined
  return { limit: limitParam(size), cursor: { ...param, absent: () => undefined, parse } }
}

export const invalidCursor = (field: string): Rejection =>
  new Rejection('bad_request.invalid_param', `${field} must be a cursor of this list`, {
    field,
    reason: 'InvalidCursor',
  })

export type Next = { readonly cursor: string | null }

/** Refers to the next page by the sort key of the last item; null when nothing is left. */
export const nextOf = (last: readonly (number | string | Uint8Array)[] | undefined): Next => ({
  cursor: last
    ? encodeCursor(last.map((part) => (part instanceof Uint8Array ? toHex(part) : part)))
    : null,
})
