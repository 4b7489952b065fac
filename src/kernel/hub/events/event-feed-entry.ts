import { eventFrame } from '../../http/server-sent-events.ts'
import type { StoredEvent } from '../../storage/messages/events.ts'
import type { HubJsonWriter } from '../reads/json-writer.ts'
import { hubEventBytes } from '../reads/protobuf-presenter.ts'
import type { FeedEvent, FeedFormat } from './event-feed.ts'
import { sizeOf } from './event-reads.ts'
import { EventInfo } from './event-subject.ts'

/** Upper estimate of the memory of an event's objects, in addition to its bytes. */
const OVERHEAD_BYTES = 1_024

/** An event of the feed. Each format is encoded at the first request and kept. */
export class FeedEntry extends EventInfo implements FeedEvent {
  readonly #json: HubJsonWriter
  #bytes: Uint8Array | undefined
  #serverSentBytes: Uint8Array | undefined
  #size: number

  /** Called with the growth in bytes when something more is kept; set while the ring holds the entry. */
  onGrowth: ((bytes: number) => void) | undefined

  constructor(event: StoredEvent, json: HubJsonWriter) {
    super(event)
    this.#json = json
    this.#size = OVERHEAD_BYTES + sizeOf(event)
  }

  /** Bytes of memory that it occupies. */
  get size(): number {
    return this.#size
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#kept(hubEventBytes(this.event))
    return this.#bytes
  }

  get serverSentBytes(): Uint8Array {
    this.#serverSentBytes ??= this.#kept(
      Buffer.from(eventFrame({ id: this.id, data: this.#json.event(this.event).toString() })),
    )
    return this.#serverSentBytes
  }

  /** The bytes that a subscriber of this format is sent. */
  in(format: FeedFormat): Uint8Array {
    return format === 'protobuf' ? this.bytes : this.serverSentBytes
  }

  #kept(bytes: Uint8Array): Uint8Array {
    this.#size += bytes.length
    this.onGrowth?.(bytes.length)
    return bytes
  }
}
