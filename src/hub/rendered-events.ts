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
import { eventJson, mergeEventTexts } from './event-json.ts'
import { type OneByteText, oneByteText } from './one-byte-text.ts'
import { EVENT_PAGE_BYTES, type EventPage, prunedBefore } from './reads.ts'
import type { RenderedMessage, RenderedMessages } from './rendered-messages.ts'

/** What the objects of one event occupy besides its text, generously. */
const OVERHEAD_BYTES = 250
/** Events that are fetched at a time: a page is cut when it has enough bytes. */
const FETCHED_EVENTS = 128

/** What `storedBytes` counts of a message besides its data. */
const ENVELOPE_BYTES = storedBytes({ data: new Uint8Array(0) })

/** Consecutive events in JSON, and where a reader continues. */
export type RenderedEventPage = Omit<EventPage, 'events'> & {
  /** Each event as texts that follow each other. */
  readonly texts: readonly (readonly OneByteText[])[]
}

type Rendered = {
  readonly texts: readonly OneByteText[]
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
      sizeCalculation: ({ texts }) =>
        texts.reduce((sum, text) => sum + text.length, OVERHEAD_BYTES),
    })
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  /** Events with ids from `fromId` on, at most `limit` and about EVENT_PAGE_BYTES, but at least one. */
  async page(fromId: number, limit: number): Promise<RenderedEventPage> {
    const headers = await this.#store.headers.list(fromId, limit)
    const texts: (readonly OneByteText[])[] = []
    let nextId = fromId
    let bytes = 0
    for (let at = 0; at < headers.length && bytes < EVENT_PAGE_BYTES; ) {
      const portion = headers.slice(at, at + FETCHED_EVENTS)
      for (const [i, event] of (await this.#render(portion)).entries()) {
        at++
        nextId = portion[i]!.id + 1
        // An event that is gone was pruned since its header was read.
        if (!event) continue
        texts.push(event.texts)
        bytes += event.storedBytes
        if (bytes >= EVENT_PAGE_BYTES) break
      }
    }
    const oldestId = await prunedBefore(this.#store.published, fromId, headers[0]?.id)
    return { texts, nextId, oldestId }
  }

  async #render(headers: readonly EventHeader[]): Promise<readonly (Rendered | undefined)[]> {
    const found = headers.map((header) => this.#findKept(header))
    const merges = headers.filter((header, i) => !found[i] && isPlainMerge(header))
    if (merges.length > 0) {
      const messages = await this.#messages.byIds(merges.map(({ id }) => id))
      const texts = new Map(merges.map(({ id }, i) => [id, messages[i]]))
      for (const [i, header] of headers.entries()) {
        const message = texts.get(header.id)
        if (message) found[i] = mergeOf(header, message)
      }
    }
    const missing = headers.filter((_, i) => !found[i])
    if (missing.length === 0) return found
    const read = await this.#read(missing)
    return headers.map(({ id }, i) => found[i] ?? read.get(id))
  }

  /** An event that is no more than a stored message, or that was written out before and is still the same. */
  #findKept(header: EventHeader): Rendered | undefined {
    if (header.isPlain === 0) return undefined
    if (isPlainMerge(header)) {
      const message = this.#messages.findKept(header.id)
      if (message) return mergeOf(header, message)
    }
    const kept = this.#kept.get(header.id)
    return kept && isSame(kept, header) ? kept : undefined
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
        const rendered = this.#write(event)
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
      found.set(event.id, this.#write(event))
    }
    return found
  }

  #write(event: StoredEvent): Rendered {
    const { body, message, deleted, merged } = event
    const parts = [body, message, deleted, merged?.data]
    const bytes = parts.reduce((sum, part) => sum + (part?.length ?? 0), MESSAGE_OVERHEAD_BYTES)
    return { texts: [oneByteText(eventJson(event, this.#options))], storedBytes: bytes }
  }
}

/** The event of the merge of a message that replaced nothing. */
const mergeOf = (
  { id, shard }: Pick<EventHeader, 'id' | 'shard'>,
  { text, storedBytes }: RenderedMessage,
): Rendered => ({
  texts: mergeEventTexts(id, text, shard),
  storedBytes: storedBytes - ENVELOPE_BYTES + MESSAGE_OVERHEAD_BYTES,
})

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
