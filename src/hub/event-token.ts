import { Rejection } from '../protocol/rejection.ts'

// Page tokens of lists of events, which are the same over HTTP and gRPC: the id of the last event of a page.

const TOKEN_BYTES = 8

export function eventToken(id: number): Uint8Array {
  const token = Buffer.alloc(TOKEN_BYTES)
  token.writeBigUInt64BE(BigInt(id))
  return token
}

export function readEventToken(token: Uint8Array): number {
  const id = token.length === TOKEN_BYTES ? Buffer.from(token).readBigUInt64BE() : undefined
  if (id !== undefined && id <= Number.MAX_SAFE_INTEGER) return Number(id)
  const text = 'pageToken is not a token of this list; leave it out to begin at the first page'
  throw new Rejection('bad_request.invalid_param', text, { field: 'pageToken' })
}

/** The events of a range that come after a page, in the direction of the list. */
export function rangeAfter<R extends { from: number; before?: number | undefined }>(
  range: R & { reverse?: boolean | undefined },
  token: Uint8Array | undefined,
): R {
  if (!token) return range
  const id = readEventToken(token)
  return range.reverse
    ? { ...range, before: Math.min(range.before ?? id, id) }
    : { ...range, from: Math.max(range.from, id + 1) }
}
