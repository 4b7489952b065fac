import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../../protocol/rejection.ts'
import type { EventRange, PublishedEvents, StoredEvent } from '../../storage/messages/events.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FeedEventInfo } from './event-feed.ts'
import { EventInfo } from './event-subject.ts'
import { eventToken, rangeAfter } from './event-token.ts'
import { type LogEnd, refuseFuture } from './future-event.ts'

/** Events on one page over HTTP, as in the deployed hub. */
export const EVENTS_PER_PAGE = 1_000
/** Stored bytes of the events of one page: about a mebibyte of JSON. */
export const EVENT_PAGE_BYTES = 512 * 1024
/** Events that one filtered request looks through, and those it reads at a time. */
export const MAX_SCANNED_EVENTS = 5_000
const EVENTS_PER_SCAN = 500

/** Consecutive events, and where a reader continues. */
export type EventPage = {
  readonly events: readonly StoredEvent[]
  /** The id after the last event; for an empty page the id that was asked for. */
  readonly nextId: number
  /** The oldest event's id, when events were asked for that are pruned. */
  readonly oldestId: number | undefined
  /** Where the list goes on, for a range of events; undefined on its last page. */
  readonly token?: Uint8Array | undefined
}

/** Stored events that are read at a time for a range. A compact state among them has up to 64 KiB. */
const EVENTS_PER_BATCH = 32

/** What the event log can be asked. Reads of one event throw a not_found Rejection when it does not exist. */
export class EventReads {
  readonly #events: PublishedEvents
  readonly #newestId: () => Promise<number>
  readonly #log: LogEnd

  /** `storage` may be a standby that has not all of the log yet; `log` is the log itself. */
  constructor(storage: Pick<Storage, 'published' | 'events'>, log: LogEnd) {
    this.#events = storage.published.events
    this.#newestId = storage.events.newestId
    this.#log = log
  }

  async byId(id: number): Promise<StoredEvent> {
    const event = await this.#events.byId(id)
    if (!event) throw new Rejection('not_found', `event ${id} not found`)
    return event
  }

  /**
   * A page of a range of events that match, in ascending or descending order. `nextId` is above all of its events, so that a
   * reader can follow what comes after them.
   */
  async pageOfRange(
    range: EventRange,
    pageToken: Uint8Array | undefined,
    limit: number,
    matches: (event: FeedEventInfo) => boolean = () => true,
  ): Promise<EventPage> {
    const left = rangeAfter(range, pageToken)
    const events: StoredEvent[] = []
    let nextId = range.from
    let bytes = 0
    for (let read = 0; ; ) {
      const found = await this.range(left, EVENTS_PER_BATCH)
      for (const event of found) {
        if (left.reverse) left.before = event.id
        else left.from = event.id + 1
        nextId = Math.max(nextId, event.id + 1)
        if (!matches(new EventInfo(event))) continue
        events.push(event)
        bytes += sizeOf(event)
        if (events.length === limit || bytes > EVENT_PAGE_BYTES) {
          return { events, nextId, oldestId: undefined, token: eventToken(range, event.id) }
        }
      }
      if (found.length < EVENTS_PER_BATCH) {
        return { events, nextId, oldestId: undefined, token: undefined }
      }
      read += found.length
      if (read >= MAX_SCANNED_EVENTS) {
        return { events, nextId, oldestId: undefined, token: eventToken(range, found.at(-1)!.id) }
      }
      await nextTurn()
    }
  }

  /**
   * Events with ids from `fromId` on that match, at most `limit` and about EVENT_PAGE_BYTES. When there is
   * nothing more, the position is unchanged; a page without matches may have moved it on. When events before
   * the oldest are asked for, the page begins at the oldest and has its id. Throws a Rejection above the newest.
   */
  async page(
    fromId: number,
    limit = EVENTS_PER_PAGE,
    matches?: (event: FeedEventInfo) => boolean,
  ): Promise<EventPage> {
    const events: StoredEvent[] = []
    let nextId = fromId
    let firstId: number | undefined
    for (let read = 0; read < MAX_SCANNED_EVENTS && events.length < limit; ) {
      const wanted = matches ? EVENTS_PER_SCAN : limit
      const found = await this.#events.list(nextId, wanted, EVENT_PAGE_BYTES)
      firstId ??= found[0]?.id
      for (const event of found) {
        if (events.length === limit) break
        if (!matches || matches(new EventInfo(event))) events.push(event)
        nextId = event.id + 1
      }
      if (!matches || found.length === 0) break
      read += found.length
      await nextTurn()
    }
    if (firstId === undefined) await refuseFuture(this.#log, fromId, 'from_event_id')
    return {
      events,
      nextId,
      oldestId: await prunedBefore(this.#events, fromId, firstId),
    }
  }

  /** The id after the newest event. */
  async nextId(): Promise<number> {
    return (await this.#newestId()) + 1
  }

  /** Events of a range of ids, at most `limit`, in ascending or descending order. */
  async range(range: EventRange, limit: number): Promise<StoredEvent[]> {
    const events = await this.#events.range(range, limit)
    if (events.length === 0) await refuseFuture(this.#log, range.from, 'start_id')
    return events
  }
}

/** The oldest event's id if events from `fromId` on have been pruned; `firstId` is the first one that was found. */
async function prunedBefore(
  events: Pick<PublishedEvents, 'oldestId'>,
  fromId: number,
  firstId: number | undefined,
): Promise<number | undefined> {
  if (fromId === 0 || firstId === undefined || firstId === fromId) return undefined
  const oldest = await events.oldestId()
  return oldest !== undefined && fromId < oldest ? oldest : undefined
}

/** Stored bytes of an event. */
export const sizeOf = ({ body, message, deleted, merged }: StoredEvent): number =>
  (body?.length ?? 0) + (message?.length ?? 0) + (deleted?.length ?? 0) + (merged?.data.length ?? 0)
