import { LRUCache } from 'lru-cache'
import type { JsonOptions } from '../protocol/json.ts'
import { JsonBytes } from '../protocol/json-bytes.ts'
import { MessageWriter } from '../protocol/message-json.ts'
import { type ListKey, tokenOfKey } from '../storage/list-key.ts'
import type { IdList, PublishedMessageIds } from '../storage/message-ids.ts'
import type { FidList, MessageKey } from '../storage/message-lists.ts'
import { type MessageReader, type StoredMessage, storedBytes } from '../storage/messages.ts'
import { MAX_PAGE_BYTES, type Page, type PageRequest } from '../storage/page.ts'
import type { OneByteText } from './one-byte-text.ts'

/** What the objects of one message occupy besides its text, generously. */
const OVERHEAD_BYTES = 250
/** Messages that are fetched at a time: a page is cut when it has enough bytes. */
const FETCHED_MESSAGES = 128

/** A stored message as it is answered. */
export class RenderedMessage implements MessageKey {
  readonly fid: number
  readonly type: number
  readonly timestamp: number
  /** The size by which pages are bounded. */
  readonly storedBytes: number
  /** The message in JSON. */
  readonly text: OneByteText
  /** As a text, because a byte string of its own would be as large as all the rest. */
  readonly #hash: string

  constructor(row: StoredMessage, text: OneByteText) {
    this.fid = row.fid
    this.type = row.type
    this.timestamp = row.timestamp
    this.storedBytes = storedBytes(row)
    this.text = text
    this.#hash = Buffer.from(row.hash).toString('latin1')
  }

  get hash(): Uint8Array {
    return Buffer.from(this.#hash, 'latin1')
  }
}

export type MessageStore = {
  /** Ids by what is asked for; moderation is part of each of these reads. */
  readonly ids: PublishedMessageIds
  /** One message, read whole: it costs less than its id and then perhaps the rest of it. */
  readonly one: Pick<MessageReader, 'bySlot'>
  /** Where messages are read from by their ids; what the first does not have is asked of the next. */
  readonly rows: readonly Pick<MessageReader, 'byIds'>[]
}

/**
 * Published messages as JSON. An id never names another message and a stored message never changes, so what
 * was written out once is kept: as much as fits into a bound in bytes. Nothing has to be invalidated, because
 * every read asks the store which ids there are: a message that was removed or hidden is not among them.
 */
export class RenderedMessages {
  readonly #store: MessageStore
  readonly #kept: LRUCache<number, RenderedMessage>
  readonly #out = new JsonBytes()
  readonly #writer: MessageWriter

  constructor(store: MessageStore, options: JsonOptions, maxBytes: number) {
    this.#store = store
    this.#writer = new MessageWriter(this.#out, options)
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ text }) => text.length + OVERHEAD_BYTES,
    })
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  async bySlot(slot: Uint8Array): Promise<RenderedMessage | undefined> {
    const row = await this.#store.one.bySlot(slot)
    return row && (this.#kept.get(row.id) ?? this.#keep(row))
  }

  listByFid(list: FidList, page: PageRequest): Promise<Page<RenderedMessage>> {
    return this.#page(() => this.#store.ids.listByFid(list, page), FID_ORDER)
  }

  listByTargets(targets: readonly Uint8Array[], page: PageRequest): Promise<Page<RenderedMessage>> {
    return this.#page(() => this.#store.ids.listByTargets(targets, page), TARGET_ORDER)
  }

  listByMention(mentioned: number, page: PageRequest): Promise<Page<RenderedMessage>> {
    return this.#page(() => this.#store.ids.listByMention(mentioned, page), TARGET_ORDER)
  }

  /** The messages with these ids, in order; undefined for those that are not stored. */
  async byIds(ids: readonly number[]): Promise<(RenderedMessage | undefined)[]> {
    const found = ids.map((id) => this.#kept.get(id))
    if (!found.includes(undefined)) return found
    const missing = new Map<number, RenderedMessage>()
    for (const { byIds } of this.#store.rows) {
      const wanted = ids.filter((id, i) => found[i] === undefined && !missing.has(id))
      if (wanted.length === 0) break
      for (const row of await byIds(wanted)) missing.set(row.id, this.#keep(row))
    }
    return found.map((message, i) => message ?? missing.get(ids[i]!))
  }

  #keep(row: StoredMessage): RenderedMessage {
    const rendered = new RenderedMessage(row, this.#textOf(row))
    this.#kept.set(row.id, rendered)
    return rendered
  }

  #textOf({ hash, signer, signature, data, form }: StoredMessage): OneByteText {
    const parts = { hashes: hash, signers: signer, signatures: signature, data }
    this.#out.clear()
    this.#writer.write(parts, 0, 0, data.length, form)
    return this.#out.text as OneByteText
  }

  /** The page of a list of ids. Messages that were removed since their ids were read are left out. */
  async #page(
    readIds: () => Promise<IdList>,
    order: readonly ListKey[],
  ): Promise<Page<RenderedMessage>> {
    for (;;) {
      const { ids, hasMore, scannedTo } = await readIds()
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
      for (const message of await this.byIds(ids.slice(taken, taken + FETCHED_MESSAGES))) {
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
