import { type ListOf, positionOf, tokenOf } from '../../http/list-tags.ts'
import type { EventRange } from '../../storage/messages/events.ts'
import { keyOfToken, notOfThisList } from '../../storage/reads/list-key.ts'

// Page tokens of lists of events, which are the same over HTTP and gRPC: the id of the last event of a page.

const ID_BYTES = 8

const listOf = ({ from, before, reverse = false }: EventRange): ListOf => [
  'events',
  from,
  before,
  reverse,
]

/** The token of a page of this range that ends with the event of this id. */
export function eventToken(range: EventRange, id: number): Uint8Array {
  const position = Buffer.alloc(ID_BYTES)
  position.writeBigUInt64BE(BigInt(id))
  return tokenOf(listOf(range), position)
}

/** The events of a range that come after a page, in the direction of the list. Throws a Rejection for another list's token. */
export function rangeAfter(range: EventRange, token: Uint8Array | undefined): EventRange {
  if (!token) return { ...range }
  const position = keyOfToken(positionOf(listOf(range), token), ID_BYTES)
  const id = Number(Buffer.from(position).readBigUInt64BE())
  if (!Number.isSafeInteger(id)) throw notOfThisList()
  return range.reverse
    ? { ...range, before: Math.min(range.before ?? id, id) }
    : { ...range, from: Math.max(range.from, id + 1) }
}
