import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventToken, rangeAfter } from '../hub/events/event-token.ts'
import { eventsResponse, hubEventBytes } from '../hub/reads/protobuf-presenter.ts'
import type { HubReads } from '../hub/reads/reads.ts'
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../storage/reads/page.ts'
import type { Call } from './method.ts'
import type { ListRequest } from './requests.ts'

/** The published clients take no longer answer. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/**
 * A page ends with the first item that exceeds this size; the page then still fits into the
 * clients' limit of 4 MiB.
 */
export const MAX_PAGE_BYTES = 3_670_016
/** Reads of the store for one page. Filters that match little would go through all there is. */
const MAX_PORTIONS = 16
/** Items that are read first, before it is known how large they are. */
const FIRST_BATCH = 250

/**
 * Reads a page of up to MAX_ITEMS items in batches, with the event loop free in between, up to
 * MAX_PAGE_BYTES by `sizeOf`. Stops when the call is cancelled.
 */
export async function readInBatches<T>(
  { size, token, reverse }: ListRequest,
  read: (page: PageRequest) => Promise<Page<T>>,
  sizeOf: (item: T) => number,
  call: Pick<Call, 'isCancelled'>,
): Promise<Page<T>> {
  const items: T[] = []
  let next = token
  let bytes = 0
  let batchSize = FIRST_BATCH
  for (let portions = 1; ; portions++) {
    const request = { size: Math.min(batchSize, size - items.length), token: next, reverse }
    const page = await read(request)
    const fitting = countFitting(page.items, MAX_PAGE_BYTES - bytes, sizeOf)
    if (fitting < page.items.length) {
      // The same items again, for the token of the last one.
      const cut = await read({ ...request, size: fitting })
      return { items: [...items, ...cut.items], next: cut.next }
    }
    for (const item of page.items) {
      items.push(item)
      bytes += sizeOf(item)
    }
    next = page.next
    const isFull = items.length >= size || bytes > MAX_PAGE_BYTES || portions >= MAX_PORTIONS
    if (!next || isFull || call.isCancelled()) return { items, next }
    batchSize = MAX_PAGE_SIZE
    await nextTurn()
  }
}

/** How many items fit: the one that exceeds the limit is the last. */
function countFitting<T>(items: readonly T[], limit: number, sizeOf: (item: T) => number): number {
  let bytes = 0
  for (const [i, item] of items.entries()) {
    bytes += sizeOf(item)
    if (bytes > limit) return i + 1
  }
  return items.length
}

/** Events that are read first, before it is known how large they are, and later at most. */
const FIRST_EVENTS = 32
const EVENT_BATCH = 250

/** Reads a page of events in batches, as `readInBatches` does. */
export async function eventPage(
  reads: HubReads,
  { first, before }: { first: number; before: number | undefined },
  { size, token, reverse }: ListRequest,
  call: Call,
): Promise<Uint8Array> {
  const asked = { from: first, before, reverse }
  const range = rangeAfter(asked, token)
  const written: Uint8Array[] = []
  let bytes = 0
  let lastId = 0
  let batch = FIRST_EVENTS
  while (true) {
    const wanted = Math.min(batch, size - written.length) + 1
    const events = await reads.events.range(range, wanted)
    for (const [i, event] of events.slice(0, wanted - 1).entries()) {
      const one = hubEventBytes(event)
      written.push(one)
      bytes += one.length
      lastId = event.id
      if (bytes <= MAX_PAGE_BYTES) continue
      return eventsResponse(written, i + 1 < events.length ? eventToken(asked, lastId) : undefined)
    }
    if (events.length < wanted) return eventsResponse(written, undefined)
    if (written.length >= size || call.isCancelled()) {
      return eventsResponse(written, eventToken(asked, lastId))
    }
    if (reverse) range.before = lastId
    else range.from = lastId + 1
    const fitting = Math.ceil((MAX_PAGE_BYTES - bytes) / (bytes / written.length))
    batch = Math.min(EVENT_BATCH, Math.max(1, fitting))
    await nextTurn()
  }
}
