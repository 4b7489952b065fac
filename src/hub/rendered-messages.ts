import { LRUCache } from 'lru-cache'
import { HASH_BYTES } from '../protocol/hash.ts'
import type { JsonOptions } from '../protocol/json.ts'
import { type MessageHead, MessageWriter, packedBytes } from '../protocol/message-json.ts'
import type { SentMessage } from '../storage/envelopes.ts'
import { type ListKey, tokenOfKey } from '../storage/list-key.ts'
import type {
  IdList,
  MessageList,
  PublishedLists,
  PublishedMessageIds,
} from '../storage/message-ids.ts'
import type { FidList, MessageKey } from '../storage/message-lists.ts'
import type { MessagePartsReader, PackedMessages } from '../storage/message-parts.ts'
import { storedBytes } from '../storage/messages.ts'
import { MAX_PAGE_BYTES, type Page, type PageRequest, pageOf } from '../storage/page.ts'
import { AskedLately } from './asked-lately.ts'
import { listOut } from './json-list.ts'
import type { OneByteText } from './one-byte-text.ts'

/** What the objects of one message occupy besides its text, generously. */
const OVERHEAD_BYTES = 250
/** What a kept message occupies at least, so that ids are known for longer than texts are kept. */
const LEAST_KEPT_BYTES = 512
/** Below this share of the memory for kept texts every text is kept, because none is evicted for it. */
const FULL_SHARE = 15 / 16
/** Messages that are fetched at a time: a page is cut when it has enough bytes. */
const FETCHED_MESSAGES = 128

/** A stored message as it is answered. */
export type RenderedMessage = MessageKey & {
  readonly type: number
  /** The size by which pages are bounded. */
  readonly storedBytes: number
  /** The message in JSON. */
  readonly text: OneByteText
  /** Writes the same to `listOut`. */
  write(): void
}

/** A message whose text is kept. */
class KeptMessage implements RenderedMessage {
  readonly fid: number
  readonly type: number
  readonly timestamp: number
  readonly storedBytes: number
  readonly text: OneByteText
  /** As a text, because a byte string of its own would be as large as all the rest. */
  readonly #hash: string

  constructor(message: PlacedMessage) {
    const { fid, type, timestamp } = message.head
    this.fid = fid
    this.type = type
    this.timestamp = timestamp
    this.storedBytes = message.storedBytes
    this.text = message.text
    this.#hash = Buffer.from(message.hash).toString('latin1')
  }

  get hash(): Uint8Array {
    return Buffer.from(this.#hash, 'latin1')
  }

  write(): void {
    listOut.oneByteText(this.text)
  }
}

/** A message that is written from its stored bytes, which are among those of others. */
class PlacedMessage implements RenderedMessage {
  readonly storedBytes: number
  readonly #writer: MessageWriter
  readonly #messages: PackedMessages
  readonly #place: number
  readonly #at: number

  constructor(writer: MessageWriter, messages: PackedMessages, place: number, at: number) {
    this.#writer = writer
    this.#messages = messages
    this.#place = place
    this.#at = at
    this.storedBytes = storedBytes({ data: { length: messages.lengths[place]! } })
  }

  /** Read when asked for: a page asks its last message alone. */
  get head(): MessageHead {
    return this.#writer.head(this.#messages, this.#at, this.#messages.lengths[this.#place]!)
  }

  get fid(): number {
    return this.head.fid
  }

  get type(): number {
    return this.head.type
  }

  get timestamp(): number {
    return this.head.timestamp
  }

  get hash(): Uint8Array {
    return this.#messages.hashes.subarray(this.#at, this.#at + HASH_BYTES)
  }

  get text(): OneByteText {
    return textOf(this)
  }

  write(): void {
    const { lengths, forms } = this.#messages
    this.#writer.write(this.#messages, this.#at, lengths[this.#place]!, forms[this.#place]!)
  }
}

/** The messages in their order. */
function placedIn(writer: MessageWriter, messages: PackedMessages): PlacedMessage[] {
  let at = 0
  return messages.lengths.map((length, place) => {
    const message = new PlacedMessage(writer, messages, place, at)
    at += packedBytes(length)
    return message
  })
}

/** A message that is written from its own bytes. */
class SingleMessage implements RenderedMessage {
  readonly #writer: MessageWriter
  readonly #sent: SentMessage

  constructor(writer: MessageWriter, sent: SentMessage) {
    this.#writer = writer
    this.#sent = sent
  }

  get fid(): number {
    return this.#sent.fid
  }

  get type(): number {
    return this.#sent.type
  }

  get timestamp(): number {
    return this.#sent.timestamp
  }

  get hash(): Uint8Array {
    return this.#sent.hash
  }

  get storedBytes(): number {
    return storedBytes(this.#sent)
  }

  get text(): OneByteText {
    return textOf(this)
  }

  write(): void {
    this.#writer.writeOne(this.#sent)
  }
}

function textOf(message: RenderedMessage): OneByteText {
  listOut.clear()
  message.write()
  return listOut.text as OneByteText
}

export type MessageStore = {
  /** Changes with every reset of the store. */
  readonly resets?: () => number
  /** Ids by what is asked for; moderation is part of each of these reads. */
  readonly ids: PublishedMessageIds
  /** Short pages of whole messages, on an engine that reads them for less than their ids and then what is kept of them. */
  readonly packed?: PublishedLists<PackedMessages> | undefined
  /** One message, read whole: it costs less than its id and then perhaps the rest of it. */
  readonly one: { bySlot(slot: Uint8Array): Promise<SentMessage | undefined> }
  /** Where messages are read from by their ids; what the first does not have is asked of the next. */
  readonly parts: readonly Pick<MessagePartsReader, 'byIds'>[]
}

/**
 * Published messages as JSON, written from their stored bytes. An id never names another message and a stored message never
 * changes, so texts that lists show are kept, within a bound in bytes; when it is reached, only those that were shown before
 * lately, so that a scan of everything evicts nothing. Nothing has to be invalidated, because every read asks the store
 * which ids there are: a message that was removed or hidden is not among them.
 */
export class RenderedMessages {
  readonly #store: MessageStore
  readonly #kept: LRUCache<number, KeptMessage>
  #resets = 0
  readonly #asked: AskedLately
  readonly #writer: MessageWriter

  constructor(store: MessageStore, options: JsonOptions, maxBytes: number) {
    this.#store = store
    this.#writer = new MessageWriter(listOut, options)
    this.#asked = new AskedLately(maxBytes / LEAST_KEPT_BYTES)
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ text }) => text.length + OVERHEAD_BYTES,
    })
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  /** The texts by id. After a reset of the store an id may be another message's. */
  #texts(): LRUCache<number, KeptMessage> {
    const resets = this.#store.resets?.() ?? 0
    if (resets !== this.#resets) this.#kept.clear()
    this.#resets = resets
    return this.#kept
  }

  async bySlot(slot: Uint8Array): Promise<RenderedMessage | undefined> {
    const row = await this.#store.one.bySlot(slot)
    return row && new SingleMessage(this.#writer, row)
  }

  listByFid(list: FidList, page: PageRequest): Promise<Page<RenderedMessage>> {
    return this.#list(page, FID_ORDER, (lists) => lists.listByFid(list, page))
  }

  listByTargets(targets: readonly Uint8Array[], page: PageRequest): Promise<Page<RenderedMessage>> {
    const [only] = targets
    return only && targets.length === 1
      ? this.#list(page, TARGET_ORDER, (lists) => lists.listByTarget(only, page))
      : this.#page(() => this.#store.ids.listByTargets(targets, page), TARGET_ORDER)
  }

  listByMention(mentioned: number, page: PageRequest): Promise<Page<RenderedMessage>> {
    return this.#list(page, TARGET_ORDER, (lists) => lists.listByMention(mentioned, page))
  }

  #list(
    page: PageRequest,
    order: readonly ListKey[],
    read: <T>(lists: PublishedLists<T>) => Promise<MessageList<T>>,
  ): Promise<Page<RenderedMessage>> {
    const { packed, ids } = this.#store
    return packed && page.size <= FETCHED_MESSAGES
      ? this.#packedPage(() => read(packed), order)
      : this.#page(() => read(ids), order)
  }

  /** A page that the store reads whole. */
  async #packedPage(
    read: () => Promise<MessageList<PackedMessages>>,
    order: readonly ListKey[],
  ): Promise<Page<RenderedMessage>> {
    const { items: messages, hasMore, scannedTo } = await read()
    const { items, next } = pageOf(
      placedIn(this.#writer, messages),
      messages.lengths.length,
      (last) => tokenOfKey(last, order),
      (message) => message.storedBytes,
    )
    const last = items.at(-1)
    return { items, next: next ?? (hasMore && last ? tokenOfKey(last, order) : scannedTo) }
  }

  /** The messages with these ids, in order; undefined for those that are not stored. */
  async #byIds(ids: readonly number[]): Promise<(RenderedMessage | undefined)[]> {
    const wasAsked = ids.map((id) => this.#asked.again(id))
    const found: (RenderedMessage | undefined)[] = ids.map((id, i) =>
      wasAsked[i] ? this.#texts().get(id) : undefined,
    )
    for (const { byIds } of this.#store.parts) {
      const missing = ids.filter((_, i) => found[i] === undefined)
      if (missing.length === 0) break
      const parts = await byIds(missing)
      for (const [place, message] of placedIn(this.#writer, parts).entries()) {
        const at = ids.indexOf(parts.ids[place]!)
        found[at] = wasAsked[at] || this.#hasRoom ? this.#keep(ids[at]!, message) : message
      }
    }
    return found
  }

  get #hasRoom(): boolean {
    return this.#kept.calculatedSize < FULL_SHARE * this.#kept.maxSize
  }

  #keep(id: number, message: PlacedMessage): RenderedMessage {
    const kept = new KeptMessage(message)
    this.#texts().set(id, kept)
    return kept
  }

  /** The page of a list of ids. Messages that were removed since their ids were read are left out. */
  async #page(
    readIds: () => Promise<IdList>,
    order: readonly ListKey[],
  ): Promise<Page<RenderedMessage>> {
    for (;;) {
      const { items: ids, hasMore, scannedTo } = await readIds()
      const { items, taken } = await this.#take(ids)
      const last = items.at(-1)
      if (taken === ids.length && !hasMore) return { items, next: scannedTo }
      if (last) return { items, next: tokenOfKey(last, order) }
      // All of them were removed meanwhile, so that there is no position to go on from.
    }
  }

  /** The messages with these ids up to the bound of a page in bytes, and how many ids those are. */
  async #take(ids: readonly number[]): Promise<{ items: RenderedMessage[]; taken: number }> {
    const items: RenderedMessage[] = []
    let bytes = 0
    let taken = 0
    while (taken < ids.length) {
      for (const message of await this.#byIds(ids.slice(taken, taken + FETCHED_MESSAGES))) {
        taken++
        if (!message) continue
        items.push(message)
        bytes += message.storedBytes
        if (bytes >= MAX_PAGE_BYTES) return { items, taken }
      }
    }
    return { items, taken }
  }
}

const FID_ORDER = ['timestamp', 'hash'] as const
const TARGET_ORDER = ['timestamp', 'hash', 'fid'] as const
