import { LRUCache } from 'lru-cache'
import type { JsonOptions } from '../protocol/json.ts'
import { MessageWriter, packedBytes, partsOfPacked } from '../protocol/message-json.ts'
import {
  type EventHeader,
  idOfMarked,
  isPlainMerge,
  type MarkedId,
  type PublishedEventHeaders,
} from '../storage/event-headers.ts'
import {
  type EventReader,
  MESSAGE_OVERHEAD_BYTES,
  type PublishedEvents,
  type StoredEvent,
} from '../storage/events.ts'
import type { MessageParts, MessagePartsReader, PackedMessages } from '../storage/message-parts.ts'
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

/** Consecutive events. Without an object for each, because a page has a thousand. */
type FoundEvents = {
  readonly marked: readonly MarkedId[]
  /** The messages that were read with them, and of each event the index of its own among these; -1: it is not. */
  readonly messages: PackedMessages
  readonly places: readonly number[]
  /** Of each event the byte where its message begins. */
  readonly starts: readonly number[]
  /** The other events; without those that were pruned meanwhile. */
  readonly others: ReadonlyMap<number, Rendered>
}

const isThere = ({ marked, places, others }: FoundEvents, at: number): boolean =>
  places[at]! >= 0 || others.has(idOfMarked(marked[at]!))

function sizeOf({ marked, messages, places, others }: FoundEvents, at: number): number {
  const place = places[at]!
  if (place >= 0) return messages.lengths[place]! + MESSAGE_OVERHEAD_BYTES
  return others.get(idOfMarked(marked[at]!))?.storedBytes ?? 0
}

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
    const marked = await this.#store.headers.list(fromId, limit)
    const read: FoundEvents[] = []
    const shown: number[] = []
    let taken = 0
    for (let bytes = 0; taken < marked.length && bytes < EVENT_PAGE_BYTES; ) {
      const found = await this.#find(marked.slice(taken, taken + FETCHED_EVENTS))
      read.push(found)
      for (let at = 0; at < found.marked.length && bytes < EVENT_PAGE_BYTES; at++) {
        bytes += sizeOf(found, at)
        if (isThere(found, at)) shown.push(taken)
        taken++
      }
    }
    const oldestId = await prunedBefore(this.#store.published, fromId, firstOf(marked))
    const writeShown = (index: number) =>
      this.#write(read[Math.floor(index / FETCHED_EVENTS)]!, index % FETCHED_EVENTS)
    return {
      nextId: taken > 0 ? idOfMarked(marked[taken - 1]!) + 1 : fromId,
      oldestId,
      write: (before, after) => writeList(before, shown, writeShown, after),
    }
  }

  async #find(marked: readonly MarkedId[]): Promise<FoundEvents> {
    const parts = marked.some(isPlainMerge)
      ? await this.#store.parts.range(idOfMarked(marked[0]!), idOfMarked(marked.at(-1)!))
      : NO_PARTS
    const { places, starts } = placesOf(marked, parts)
    const rest = marked.filter((_, at) => places[at] === -1).map(idOfMarked)
    const others = rest.length > 0 ? await this.#others(rest) : NO_OTHERS
    return { marked, messages: parts, places, starts, others }
  }

  #write({ marked, messages, places, starts, others }: FoundEvents, at: number): void {
    const id = idOfMarked(marked[at]!)
    const place = places[at]!
    if (place < 0) {
      listOut.oneByteText(others.get(id)!.text)
      return
    }
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeHead(listOut, id)
    const { lengths, forms } = messages
    this.#writer.write(messages, starts[at]!, lengths[place]!, forms[place]!)
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeEnd(listOut, id, this.#store.headers.shardOf(id))
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

/** Where the messages of events are. Both are in the order of their ids. */
function placesOf(marked: readonly MarkedId[], { ids, lengths }: MessageParts) {
  const places: number[] = []
  const starts: number[] = []
  let place = 0
  let start = 0
  for (const one of marked) {
    const id = idOfMarked(one)
    while (ids[place]! < id) start += packedBytes(lengths[place++]!)
    places.push(isPlainMerge(one) && ids[place] === id ? place : -1)
    starts.push(start)
  }
  return { places, starts }
}

const firstOf = ([first]: readonly MarkedId[]): number | undefined =>
  first === undefined ? undefined : idOfMarked(first)

const NO_PARTS: MessageParts = {
  ids: [],
  forms: [],
  lengths: [],
  ...partsOfPacked(new Uint8Array(0)),
}
const NO_OTHERS: ReadonlyMap<number, Rendered> = new Map()
