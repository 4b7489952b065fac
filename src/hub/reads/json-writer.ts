import { toBase64 } from '../../protocol/codec/bytes.ts'
import { type JsonOptions, messageText } from '../../protocol/json/json.ts'
import { JsonBytes, jsonPart, sourceBytes } from '../../protocol/json/json-bytes.ts'
import { MessageWriter } from '../../protocol/json/message-json.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import { HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { Envelope, type SentMessage } from '../../storage/messages/envelopes.ts'
import type { StoredEvent } from '../../storage/messages/events.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { Page } from '../../storage/reads/page.ts'
import {
  BodyEventWriter,
  eventJson,
  MERGE_EVENT_BYTES,
  writeMergeEnd,
  writeMergeHead,
} from '../events/event-json.ts'
import type { EventPage } from './reads.ts'

const COMMA = jsonPart(',')

/** The end of a list is an empty token, on every list. */
export const tokenText = (token: Uint8Array | undefined) => (token ? toBase64(token) : '')

/**
 * Writes stored messages and events as JSON, as UTF-8. Most are written from their stored bytes, without being decoded. All
 * answers of a thread are written in the same memory, so nothing may be awaited while one is written.
 */
export class HubJsonWriter {
  readonly #out = new JsonBytes()
  readonly #options: JsonOptions
  readonly #messages: MessageWriter
  readonly #bodies: BodyEventWriter

  constructor(options: JsonOptions) {
    this.#options = options
    this.#messages = new MessageWriter(this.#out, options)
    this.#bodies = new BodyEventWriter(this.#out, options)
  }

  message(message: SentMessage): Uint8Array {
    this.#out.clear()
    this.#writeMessage(message)
    return Buffer.from(this.#out.written)
  }

  messages({ items, next }: Page<SentMessage>): Uint8Array {
    const end = `],"nextPageToken":"${tokenText(next)}"}`
    return this.#list('{"messages":[', items, (message) => this.#writeMessage(message), end)
  }

  event(event: StoredEvent): Uint8Array {
    this.#out.clear()
    this.#writeEvent(event)
    return Buffer.from(this.#out.written)
  }

  events({ events, nextId, oldestId, ...rest }: EventPage): Uint8Array {
    const oldest = oldestId === undefined ? '' : `"oldestEventId":${oldestId},`
    const head = `{"nextPageEventId":${nextId},${oldest}"events":[`
    // Only pages of a range have a token, which is empty at the end.
    const after = 'token' in rest ? `],"nextPageToken":"${tokenText(rest.token)}"}` : ']}'
    return this.#list(head, events, (event) => this.#writeEvent(event), after)
  }

  text(message: SignedMessage): string {
    return messageText(message, this.#options)
  }

  /** Messages and other JSON values, in order. */
  submitted(items: readonly (SentMessage | string)[]): Uint8Array {
    const write = (item: SentMessage | string) =>
      typeof item === 'string' ? this.#text(item) : this.#writeMessage(item)
    return this.#list('{"messages":[', items, write, ']}')
  }

  #list<T>(before: string, items: readonly T[], write: (item: T) => void, after: string) {
    const out = this.#out
    out.clear()
    out.latin1(before)
    for (let i = 0; i < items.length; i++) {
      if (i > 0) out.part(COMMA)
      write(items[i]!)
    }
    out.latin1(after)
    return Buffer.from(out.written)
  }

  #writeMessage(message: SentMessage): void {
    if (message instanceof Envelope) this.#messages.write(message.bytes, message.form)
    // A hidden message, without its signature.
    else this.#text(messageText(fromStored(message), this.#options))
  }

  #writeEvent(event: StoredEvent): void {
    const { id, type, body, merged, deleted } = event
    if (body) this.#bodies.write(sourceBytes(body), 0, body.length, id)
    else if (type === HubEventType.MERGE_MESSAGE && merged && !deleted) this.#writeMerge(id, merged)
    else this.#text(eventJson(event, this.#options))
  }

  #writeMerge(id: number, message: SentMessage): void {
    const out = this.#out
    out.reserve(MERGE_EVENT_BYTES)
    writeMergeHead(out, id)
    this.#writeMessage(message)
    out.reserve(MERGE_EVENT_BYTES)
    writeMergeEnd(out, id)
  }

  #text(text: string): void {
    this.#out.latin1(Buffer.from(text).toString('latin1'))
  }
}
