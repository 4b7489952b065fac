import { LRUCache } from 'lru-cache'
import type { JsonOptions } from '../protocol/json.ts'
import { sourceBytes } from '../protocol/json-bytes.ts'
import { MessageWriter, packedBytes, partsOfPacked } from '../protocol/message-json.ts'
import type { EventBodies, EventBodyReader } from '../storage/event-bodies.ts'
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
import {
  BodyEventWriter,
  eventJson,
  MERGE_EVENT_BYTES,
  writeMergeEnd,
  writeMergeHead,
} from './event-json.ts'
import { refuseFuture } from './future-event.ts'
import { listOut, writeList } from './json-list.ts'
import { type OneByteText, oneByteText } from './one-byte-text.ts'
import { EVENT_PAGE_BYTES, type EventPage, prunedBefore } from './reads.ts'

/** What the objects of one event occupy besides its text, generously. */
const OVERHEAD_BYTES = 250
/**
 * Events that are fetched at a time: a page is cut when it has enough bytes. A message is small; other events may contain
 * thousands of replaced messages, so fewer of them are held besides the page.
 */
const FETCHED_EVENTS = 512
const FETCHED_OTHERS = 128

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
  /** The place of the first of them on the page. */
  readonly first: number
  readonly marked: readonly MarkedId[]
  readonly messages: PackedMessages
  readonly bodies: EventBodies
  /** Of each event the index of its message or, when it is no plain merge, of its body; -1: it was not read. */
  readonly indexes: readonly number[]
  /** Of each event the byte where its message or body begins. */
  readonly starts: readonly number[]
  /** The other events; without those that were pruned meanwhile. */
  readonly others: ReadonlyMap<number, Rendered>
}

const isThere = ({ marked, indexes, others }: FoundEvents, at: number): boolean =>
  indexes[at]! >= 0 || others.has(idOfMarked(marked[at]!))

function sizeOf({ marked, messages, bodies, indexes, others }: FoundEvents, at: number): number {
  const one = marked[at]!
  const index = indexes[at]!
  if (index < 0) return others.get(idOfMarked(one))?.storedBytes ?? 0
  const { lengths } = isPlainMerge(one) ? messages : bodies
  return lengths[index]! + MESSAGE_OVERHEAD_BYTES
}

const endOf = ({ first, marked }: FoundEvents): number => first + marked.length

/** Where the events end that are fetched together, from this place on. */
function endOfFetch(marked: readonly MarkedId[], from: number): number {
  let others = 0
  let end = from
  for (; end < marked.length && end - from < FETCHED_EVENTS; end++) {
    if (!isPlainMerge(marked[end]!) && ++others > FETCHED_OTHERS) break
  }
  return end
}

/** Pages that are read and written at a time: each is some hundred kilobytes. */
const MAX_RUNNING_PAGES = 4

export type EventStore = {
  readonly headers: PublishedEventHeaders
  readonly published: PublishedEvents
  /** The log itself, where the others may be those of a standby. */
  readonly log: Pick<EventReader, 'greatestId'>
  /** Where events are read from by their ids; what the first does not have is asked of the next. */
  readonly rows: readonly Pick<EventReader, 'byIds'>[]
  /** Reads the messages of plain merges, a range of ids at a time. An event without one is read whole. */
  readonly parts: MessagePartsReader
  /** Reads the bodies of events that are no plain merges, a range of ids at a time. */
  readonly bodies: EventBodyReader
}

/**
 * Pages of events as JSON. A page is first read as headers: the type of each event, and whether moderation hides
 * part of it. Most events are merges of stored messages and on-chain events. Their JSON is written from the stored bytes each
 * time, which is faster than looking it up in a cache. The JSON of other events is cached up to a number of bytes; a
 * cached text is used only while the header of its event is unchanged.
 */
export class RenderedEvents {
  readonly #store: EventStore
  readonly #options: JsonOptions
  readonly #kept: LRUCache<number, Kept>
  readonly #turns = new Turns({ running: MAX_RUNNING_PAGES })
  readonly #messages: MessageWriter
  readonly #bodies: BodyEventWriter

  constructor(store: EventStore, options: JsonOptions, maxBytes: number) {
    this.#store = store
    this.#options = options
    this.#messages = new MessageWriter(listOut, options)
    this.#bodies = new BodyEventWriter(listOut, options)
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
      const found = await this.#find(taken, marked.slice(taken, endOfFetch(marked, taken)))
      read.push(found)
      for (let at = 0; at < found.marked.length && bytes < EVENT_PAGE_BYTES; at++) {
        bytes += sizeOf(found, at)
        if (isThere(found, at)) shown.push(taken)
        taken++
      }
    }
    if (marked.length === 0) await refuseFuture(this.#store.log, fromId, 'from_event_id')
    const oldestId = await prunedBefore(this.#store.published, fromId, firstOf(marked))
    return {
      nextId: taken > 0 ? idOfMarked(marked[taken - 1]!) + 1 : fromId,
      oldestId,
      write: (before, after) => {
        let at = 0
        const writeShown = (place: number) => {
          while (place >= endOf(read[at]!)) at++
          this.#write(read[at]!, place - read[at]!.first)
        }
        return writeList(before, shown, writeShown, after)
      },
    }
  }

  async #find(first: number, marked: readonly MarkedId[]): Promise<FoundEvents> {
    const store = this.#store
    const range = [idOfMarked(marked[0]!), idOfMarked(marked.at(-1)!)] as const
    const messages = marked.some(isPlainMerge) ? await store.parts.range(...range) : NO_PARTS
    const bodies = marked.every(isPlainMerge) ? NO_BODIES : await store.bodies.range(...range)
    const { indexes, starts } = placesOf(marked, messages, bodies)
    const rest = marked.filter((_, at) => indexes[at] === -1).map(idOfMarked)
    const others = rest.length > 0 ? await this.#others(rest) : NO_OTHERS
    return { first, marked, messages, bodies, indexes, starts, others }
  }

  #write({ marked, messages, bodies, indexes, starts, others }: FoundEvents, at: number): void {
    const one = marked[at]!
    const id = idOfMarked(one)
    const index = indexes[at]!
    if (index < 0) {
      listOut.oneByteText(others.get(id)!.text)
      return
    }
    const shard = this.#store.headers.shardOf(id)
    if (!isPlainMerge(one)) {
      this.#bodies.write(bodies.bytes, starts[at]!, bodies.lengths[index]!, id, shard)
      return
    }
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeHead(listOut, id)
    const { lengths, forms } = messages
    this.#messages.write(messages, starts[at]!, lengths[index]!, forms[index]!)
    listOut.reserve(MERGE_EVENT_BYTES)
    writeMergeEnd(listOut, id, shard)
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

/** Where the messages and bodies of events are. All are in the order of their ids. */
function placesOf(marked: readonly MarkedId[], messages: MessageParts, bodies: EventBodies) {
  const indexes: number[] = []
  const starts: number[] = []
  let message = 0
  let messageStart = 0
  let body = 0
  let bodyStart = 0
  for (const one of marked) {
    const id = idOfMarked(one)
    if (isPlainMerge(one)) {
      while (messages.ids[message]! < id) messageStart += packedBytes(messages.lengths[message++]!)
      indexes.push(messages.ids[message] === id ? message : -1)
      starts.push(messageStart)
    } else {
      while (bodies.ids[body]! < id) bodyStart += bodies.lengths[body++]!
      indexes.push(bodies.ids[body] === id ? body : -1)
      starts.push(bodyStart)
    }
  }
  return { indexes, starts }
}

const firstOf = ([first]: readonly MarkedId[]): number | undefined =>
  first === undefined ? undefined : idOfMarked(first)

const NO_PARTS: MessageParts = {
  ids: [],
  forms: [],
  lengths: [],
  ...partsOfPacked(new Uint8Array(0)),
}
const NO_BODIES: EventBodies = { ids: [], lengths: [], bytes: sourceBytes(new Uint8Array(0)) }
const NO_OTHERS: ReadonlyMap<number, Rendered> = new Map()
