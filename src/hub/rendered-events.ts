import { LRUCache } from 'lru-cache'
import type { JsonOptions } from '../protocol/json.ts'
import { MessageWriter, packedBytes } from '../protocol/message-json.ts'
import type { EventHeader, ListedEvent, PublishedEventHeaders } from '../storage/event-headers.ts'
import {
  type EventReader,
  MESSAGE_OVERHEAD_BYTES,
  type PublishedEvents,
  type StoredEvent,
} from '../storage/events.ts'
import type { MessageParts, MessagePartsReader } from '../storage/message-parts.ts'
import { Turns } from '../turns.ts'
import { eventJson, MERGE_EVENT_BYTES, writeMergeEnd, writeMergeHead } from './event-json.ts'
import { listOut, writeList } from './json-list.ts'
import { type OneByteText, oneByteText } from './one-byte-text.ts'
import { EVENT_PAGE_BYTES, type EventPage, prunedBefore } from './reads.ts'

/** What the objects of one event occupy besides its text, generously. */
const OVERHEAD_BYTES = 250
/** Events that are fetched at a time: a page is cut when it has enough bytes. */
const FETCHED_EVENTS = 128

/** Consecutive events in JSON, and where a reader continues. */
export type RenderedEventPage = Omit<EventPage, 'events'> & {
  /** The events with a comma between each two, and ASCII texts before and after them. */
  write(before: string, after: string): OneByteText | Uint8Array
}

type Rendered = {
  readonly text: OneByteText
  /** The size by which pages are bounded. */
  readonly storedBytes: number
}

type Kept = Rendered & Pick<EventHeader, 'messageLength' | 'deletedLength'>

/** An event as it is to be written. With neither parts nor a text it was pruned meanwhile. */
type Found = {
  readonly event: ListedEvent
  /** The messages read with its own; `place` is its index among them, and `at` the byte where it begins. */
  readonly parts: MessageParts | undefined
  readonly place: number
  readonly at: number
  other: Rendered | undefined
}

const isThere = ({ parts, other }: Found): boolean => parts !== undefined || other !== undefined

const sizeOf = ({ parts, place, other }: Found): number =>
  parts ? parts.lengths[place]! + MESSAGE_OVERHEAD_BYTES : (other?.storedBytes ?? 0)

/** Pages that are read and written at a time: each is some hundred kilobytes. */
const MAX_RUNNING_PAGES = 4

export type EventStore = {
  readonly headers: PublishedEventHeaders
  readonly published: PublishedEvents
  /** Where events are read from by their ids; what the first does not have is asked of the next. */
  readonly rows: readonly Pick<EventReader, 'byIds'>[]
  /** Where the messages of usual events are read from. What it does not have is read as an event. */
  readonly parts: MessagePartsReader
}

/**
 * Pages of events as JSON. A page is read as headers, which say what each event is, and whether moderation hides
 * anything of it. The usual event is the merge of a stored message: it is written from the stored bytes, which costs less than to
 * look for a text that was kept. Others are kept up to a bound in bytes; headers say whether they are still the same.
 */
export class RenderedEvents {
  readonly #store: EventStore
  readonly #options: JsonOptions
  readonly #kept: LRUCache<number, Kept>
  readonly #turns = new Turns({ running: MAX_RUNNING_PAGES })
  readonly #writer: MessageWriter

  constructor(store: EventStore, options: JsonOptions, maxBytes: number) {
    this.#store = store
    this.#options = options
    this.#writer = new MessageWriter(listOut, options)
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ text }) => text.length + OVERHEAD_BYTES,
    })
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  /** Events with ids from `fromId` on, at most `limit` and about EVENT_PAGE_BYTES, but at least one. */
  page(fromId: number, limit: number): Promise<RenderedEventPage> {
    return this.#turns.run('page', () => this.#page(fromId, limit))
  }

  async #page(fromId: number, limit: number): Promise<RenderedEventPage> {
    const events = await this.#store.headers.list(fromId, limit)
    const found: Found[] = []
    let bytes = 0
    for (let at = 0; at < events.length && bytes < EVENT_PAGE_BYTES; at += FETCHED_EVENTS) {
      for (const one of await this.#find(events.slice(at, at + FETCHED_EVENTS))) {
        found.push(one)
        bytes += sizeOf(one)
        if (bytes >= EVENT_PAGE_BYTES) break
      }
    }
    const oldestId = await prunedBefore(this.#store.published, fromId, events[0]?.id)
    const last = found.at(-1)
    return {
      nextId: last ? last.event.id + 1 : fromId,
      oldestId,
      write: (before, after) =>
        writeList(before, found.filter(isThere), (one) => this.#write(one), after),
    }
  }

  async #find(events: readonly ListedEvent[]): Promise<Found[]> {
    const parts = events.some(({ isPlainMerge }) => isPlainMerge)
      ? await this.#store.parts.range(events[0]!.id, events.at(-1)!.id)
      : undefined
    const found = placed(events, parts)
    const rest = found.filter((one) => one.parts === undefined)
    if (rest.length > 0) {
      const others = await this.#others(rest.map(({ event }) => event.id))
      for (const one of rest) one.other = others.get(one.event.id)
    }
    return found
  }

  #write({ event, parts, place, at, other }: Found): void {
    if (!parts) {
      listOut.oneByteText(other!.text)
      return
    }
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeHead(listOut, event)
    this.#writer.write(parts, at, parts.lengths[place]!, parts.forms[place]!)
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeEnd(listOut, event)
  }

  async #others(ids: readonly number[]): Promise<Map<number, Rendered>> {
    const found = new Map<number, Rendered>()
    const missing: EventHeader[] = []
    for (const header of await this.#store.headers.byIds(ids)) {
      const kept = this.#kept.get(header.id)
      if (kept && header.isPlain === 1 && isSame(kept, header)) found.set(header.id, kept)
      else missing.push(header)
    }
    if (missing.length > 0) for (const read of await this.#read(missing)) found.set(...read)
    return found
  }

  /** Reads events: as they are stored when they may be kept, else as they are published now. */
  async #read(headers: readonly EventHeader[]): Promise<Map<number, Rendered>> {
    const found = new Map<number, Rendered>()
    const plain = headers.filter(({ isPlain }) => isPlain === 1)
    const lengths = new Map(plain.map((header) => [header.id, header]))
    for (const { byIds } of this.#store.rows) {
      const wanted = plain.filter(({ id }) => !found.has(id)).map(({ id }) => id)
      if (wanted.length === 0) break
      for (const event of await byIds(wanted)) {
        const rendered = this.#render(event)
        found.set(event.id, rendered)
        const header = lengths.get(event.id)!
        const { message, deleted } = event
        const now = { messageLength: lengthOf(message), deletedLength: lengthOf(deleted) }
        if (isSame(now, header)) this.#kept.set(event.id, { ...rendered, ...now })
      }
    }
    const others = headers.filter(({ isPlain }) => isPlain === 0).map(({ id }) => id)
    if (others.length === 0) return found
    for (const event of await this.#store.published.byIds(others)) {
      found.set(event.id, this.#render(event))
    }
    return found
  }

  #render(event: StoredEvent): Rendered {
    const { body, message, deleted, merged } = event
    const parts = [body, message, deleted, merged?.data]
    const bytes = parts.reduce((sum, part) => sum + (part?.length ?? 0), MESSAGE_OVERHEAD_BYTES)
    return { text: oneByteText(eventJson(event, this.#options)), storedBytes: bytes }
  }
}

const lengthOf = (bytes: Uint8Array | null): number | null => bytes?.length ?? null

const isSame = (
  a: Pick<EventHeader, 'messageLength' | 'deletedLength'>,
  b: Pick<EventHeader, 'messageLength' | 'deletedLength'>,
): boolean => a.messageLength === b.messageLength && a.deletedLength === b.deletedLength

/** Events with the places of their messages. Both are in the order of their ids. */
function placed(events: readonly ListedEvent[], parts: MessageParts | undefined): Found[] {
  const { ids, lengths } = parts ?? NO_PARTS
  let place = 0
  let at = 0
  return events.map((event) => {
    while (ids[place]! < event.id) at += packedBytes(lengths[place++]!)
    const isPlaced = event.isPlainMerge && ids[place] === event.id
    return { event, parts: isPlaced ? parts : undefined, place, at, other: undefined }
  })
}

const NO_PARTS: Pick<MessageParts, 'ids' | 'lengths'> = { ids: [], lengths: [] }
