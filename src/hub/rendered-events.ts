import { LRUCache } from 'lru-cache'
import type { JsonOptions } from '../protocol/json.ts'
import { HubEventType } from '../protocol/wire/hub_event_pb.js'
import {
  type EventHeader,
  type EventReader,
  MESSAGE_OVERHEAD_BYTES,
  type PublishedEventHeaders,
  type PublishedEvents,
  type StoredEvent,
} from '../storage/events.ts'
import { storedBytes } from '../storage/messages.ts'
import { eventJson, mergeEventParts } from './event-json.ts'
import { oneByteText } from './one-byte-text.ts'
import { EVENT_PAGE_BYTES, type EventPage, prunedBefore } from './reads.ts'
import type { RenderedMessages } from './rendered-messages.ts'

/** What the objects of one event occupy besides its text, generously. */
const OVERHEAD_BYTES = 250
/** Events that are fetched at a time: a page is cut when it has enough bytes. */
const FETCHED_EVENTS = 128

/** What `storedBytes` counts of a message besides its data. */
const ENVELOPE_BYTES = storedBytes({ data: new Uint8Array(0) })

/** Consecutive events in JSON, and where a reader continues. */
export type RenderedEventPage = Omit<EventPage, 'events'> & {
  /** Each in parts. */
  readonly texts: readonly (readonly string[])[]
}

type Rendered = {
  readonly parts: readonly string[]
  /** The size by which pages are bounded. */
  readonly storedBytes: number
}

type Kept = Rendered & Pick<EventHeader, 'messageLength' | 'deletedLength'>

export type EventStore = {
  readonly headers: PublishedEventHeaders
  readonly published: PublishedEvents
  /** Where events are read from by their ids; what the first does not have is asked of the next. */
  readonly rows: readonly Pick<EventReader, 'byIds'>[]
}

/**
 * Events as JSON, kept like messages: up to a bound in bytes. A page is read as headers, which say whether an
 * event is still what was written out, and whether moderation hides anything of it. The usual event is the merge of a
 * stored message, and shares the text of that message.
 */
export class RenderedEvents {
  readonly #store: EventStore
  readonly #messages: RenderedMessages
  readonly #options: JsonOptions
  readonly #kept: LRUCache<number, Kept>

  constructor(
    store: EventStore,
    messages: RenderedMessages,
    options: JsonOptions,
    maxBytes: number,
  ) {
    this.#store = store
    this.#messages = messages
    this.#options = options
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ parts }) => parts[0]!.length + OVERHEAD_BYTES,
    })
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  /** Events with ids from `fromId` on, at most `limit` and about EVENT_PAGE_BYTES, but at least one. */
  async page(fromId: number, limit: number): Promise<RenderedEventPage> {
    const headers = await this.#store.headers.list(fromId, limit)
    const texts: (readonly string[])[] = []
    let nextId = fromId
    let bytes = 0
    for (let at = 0; at < headers.length && bytes < EVENT_PAGE_BYTES; ) {
      const portion = headers.slice(at, at + FETCHED_EVENTS)
      for (const [i, event] of (await this.#render(portion)).entries()) {
        at++
        nextId = portion[i]!.id + 1
        // An event that is gone was pruned since its header was read.
        if (!event) continue
        texts.push(event.parts)
        bytes += event.storedBytes
        if (bytes >= EVENT_PAGE_BYTES) break
      }
    }
    const oldestId = await prunedBefore(this.#store.published, fromId, headers[0]?.id)
    return { texts, nextId, oldestId }
  }

  async #render(headers: readonly EventHeader[]): Promise<(Rendered | undefined)[]> {
    const found = new Map<number, Rendered>()
    await this.#findMerges(headers.filter(isPlainMerge), found)
    for (const header of headers) {
      const kept = header.isPlain === 1 ? this.#kept.get(header.id) : undefined
      if (kept && isSame(kept, header)) found.set(header.id, kept)
    }
    await this.#read(headers, found)
    return headers.map(({ id }) => found.get(id))
  }

  /** Events that consist of a stored message. */
  async #findMerges(headers: readonly EventHeader[], found: Map<number, Rendered>): Promise<void> {
    if (headers.length === 0) return
    const messages = await this.#messages.byIds(headers.map(({ id }) => id))
    for (const [i, message] of messages.entries()) {
      if (!message) continue
      const { id } = headers[i]!
      const size = message.storedBytes - ENVELOPE_BYTES + MESSAGE_OVERHEAD_BYTES
      const [before, after] = mergeEventParts(id)
      found.set(id, { parts: [before, message.text, after], storedBytes: size })
    }
  }

  /** Reads what is not found yet: as it is stored when it may be kept, else as it is published now. */
  async #read(headers: readonly EventHeader[], found: Map<number, Rendered>): Promise<void> {
    const missing = headers.filter(({ id }) => !found.has(id))
    const plain = missing.filter(({ isPlain }) => isPlain === 1)
    const lengths = new Map(plain.map((header) => [header.id, header]))
    for (const { byIds } of this.#store.rows) {
      const wanted = plain.filter(({ id }) => !found.has(id)).map(({ id }) => id)
      if (wanted.length === 0) break
      for (const event of await byIds(wanted)) {
        const rendered = this.#write(event)
        found.set(event.id, rendered)
        const header = lengths.get(event.id)!
        const { message, deleted } = event
        const now = { messageLength: lengthOf(message), deletedLength: lengthOf(deleted) }
        if (isSame(now, header)) this.#kept.set(event.id, { ...rendered, ...now })
      }
    }
    const others = missing.filter(({ isPlain }) => isPlain === 0).map(({ id }) => id)
    if (others.length === 0) return
    for (const event of await this.#store.published.byIds(others)) {
      found.set(event.id, this.#write(event))
    }
  }

  #write(event: StoredEvent): Rendered {
    const { body, message, deleted, merged } = event
    const parts = [body, message, deleted, merged?.data]
    const bytes = parts.reduce((sum, part) => sum + (part?.length ?? 0), MESSAGE_OVERHEAD_BYTES)
    return { parts: [oneByteText(eventJson(event, this.#options))], storedBytes: bytes }
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
