import { LRUCache } from 'lru-cache'
import type { JsonOptions } from '../protocol/json.ts'
import { MessageWriter } from '../protocol/message-json.ts'
import { HubEventType } from '../protocol/wire/hub_event_pb.js'
import {
  type EventHeader,
  type EventReader,
  MESSAGE_OVERHEAD_BYTES,
  type PublishedEventHeaders,
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

/** The place of a message among others, and where its data begin and end. */
type PlaceOfMessage = {
  readonly parts: MessageParts
  readonly place: number
  readonly from: number
  readonly to: number
}

/** An event as it is to be written; without either it was pruned meanwhile. */
type Found = {
  readonly header: EventHeader
  readonly merge: PlaceOfMessage | undefined
  readonly other: Rendered | undefined
}

const isThere = ({ merge, other }: Found): boolean => merge !== undefined || other !== undefined

const sizeOf = ({ merge, other }: Found): number =>
  merge ? merge.to - merge.from + MESSAGE_OVERHEAD_BYTES : (other?.storedBytes ?? 0)

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
    const headers = await this.#store.headers.list(fromId, limit)
    const found: Found[] = []
    let bytes = 0
    for (let at = 0; at < headers.length && bytes < EVENT_PAGE_BYTES; at += FETCHED_EVENTS) {
      for (const one of await this.#find(headers.slice(at, at + FETCHED_EVENTS))) {
        found.push(one)
        bytes += sizeOf(one)
        if (bytes >= EVENT_PAGE_BYTES) break
      }
    }
    const oldestId = await prunedBefore(this.#store.published, fromId, headers[0]?.id)
    const last = found.at(-1)
    return {
      nextId: last ? last.header.id + 1 : fromId,
      oldestId,
      write: (before, after) =>
        writeList(before, found.filter(isThere), (one) => this.#write(one), after),
    }
  }

  async #find(headers: readonly EventHeader[]): Promise<Found[]> {
    const merges = await this.#mergedIn(headers)
    const rest = headers.filter((_, i) => merges[i] === undefined)
    const others = await this.#others(rest)
    return headers.map((header, i) => ({
      header,
      merge: merges[i],
      other: rest.length === 0 ? undefined : others.get(header.id),
    }))
  }

  #write({ header, merge, other }: Found): void {
    if (merge) this.#writeMerge(header, merge)
    else listOut.oneByteText(other!.text)
  }

  #writeMerge(header: EventHeader, { parts, place, from, to }: PlaceOfMessage): void {
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeHead(listOut, header)
    this.#writer.write(parts, place, from, to, parts.forms[place]!)
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeEnd(listOut, header)
  }

  /** Where the messages of usual events are, at the places of the events. Both are in the order of their ids. */
  async #mergedIn(headers: readonly EventHeader[]): Promise<(PlaceOfMessage | undefined)[]> {
    const found = headers.map((): PlaceOfMessage | undefined => undefined)
    if (!headers.some(isPlainMerge)) return found
    const parts = await this.#store.parts.range(headers[0]!.id, headers.at(-1)!.id)
    let from = 0
    let at = 0
    for (let place = 0; place < parts.ids.length; place++) {
      const id = parts.ids[place]!
      const to = from + parts.lengths[place]!
      while (at < headers.length && headers[at]!.id < id) at++
      const header = headers[at]
      if (header?.id === id && isPlainMerge(header)) found[at] = { parts, place, from, to }
      from = to
    }
    return found
  }

  async #others(headers: readonly EventHeader[]): Promise<Map<number, Rendered>> {
    const found = new Map<number, Rendered>()
    const missing: EventHeader[] = []
    for (const header of headers) {
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

/** Whether an event is no more than the merge of a message that is stored. */
const isPlainMerge = ({ type, messageLength, deletedLength, isPlain }: EventHeader): boolean =>
  isPlain === 1 &&
  type === HubEventType.MERGE_MESSAGE &&
  messageLength === null &&
  deletedLength === null
