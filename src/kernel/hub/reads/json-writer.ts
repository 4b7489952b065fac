import { fromBinary } from '@bufbuild/protobuf'
import { AnswerMemory, type LentBytes } from '../../http/answer-memory.ts'
import { toBase64 } from '../../protocol/codec/bytes.ts'
import { decodeList, decodeStored } from '../../protocol/codec/decode.ts'
import { eventTime } from '../../protocol/event-id.ts'
import {
  hubEventJson,
  type JsonOptions,
  messageText,
  nameProofJson,
} from '../../protocol/json/json.ts'
import { JsonBytes, jsonPart, maxJsonBytes, sourceBytes } from '../../protocol/json/json-bytes.ts'
import { MessageWriter } from '../../protocol/json/message-json.ts'
import { MergedOnChainEvents } from '../../protocol/json/on-chain-json.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import { networkTime } from '../../protocol/time.ts'
import { HubEventSchema, HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { MessageType } from '../../protocol/wire/message_pb.js'
import { Envelope, type SentMessage } from '../../storage/messages/envelopes.ts'
import type { StoredEvent } from '../../storage/messages/events.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'
import type { Page } from '../../storage/reads/page.ts'
import type { EventPage } from '../events/event-reads.ts'

const COMMA = jsonPart(',')
const MERGE_PARTS = {
  id: jsonPart('{"type":"HUB_EVENT_TYPE_MERGE_MESSAGE","id":'),
  message: jsonPart(',"mergeMessageBody":{"message":'),
  end: jsonPart(',"deletedMessages":[]},"blockNumber":0,"shardIndex":0,"timestamp":'),
}
const ON_CHAIN_PARTS = {
  id: jsonPart('{"type":"HUB_EVENT_TYPE_MERGE_ON_CHAIN_EVENT","id":'),
  body: jsonPart(',"mergeOnChainEventBody":'),
  end: jsonPart(',"blockNumber":0,"shardIndex":0,"timestamp":'),
}
const END = jsonPart('}')
/** Room for the parts of a merge event before its message, and for those after it. */
const EVENT_BYTES = 256

/** A list, as one answer. */
type Written = Uint8Array | LentBytes

/** The end of a list is an empty token, on every list. */
export const tokenText = (token: Uint8Array | undefined) => (token ? toBase64(token) : '')

/**
 * Writes stored messages and events as JSON, as UTF-8. Most are written from their stored bytes, without being decoded. All
 * answers of a thread are written in the same memory, so nothing may be awaited while one is written.
 */
export class HubJsonWriter {
  readonly #out = new JsonBytes()
  readonly #memory = new AnswerMemory()
  readonly #options: JsonOptions
  readonly #messages: MessageWriter
  readonly #onChain = new MergedOnChainEvents()

  constructor(options: JsonOptions) {
    this.#options = options
    this.#messages = new MessageWriter(this.#out, options)
  }

  message(message: SentMessage): Buffer {
    this.#out.clear()
    this.#writeMessage(message)
    return Buffer.from(this.#out.written)
  }

  messages({ items, next }: Page<SentMessage>): Written {
    const end = `],"nextPageToken":"${tokenText(next)}"}`
    return this.#list('{"messages":[', items, (message) => this.#writeMessage(message), end)
  }

  event(event: StoredEvent): Buffer {
    this.#out.clear()
    this.#writeEvent(event)
    return Buffer.from(this.#out.written)
  }

  events({ events, nextId, oldestId, ...rest }: EventPage): Written {
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
  submitted(items: readonly (SentMessage | string)[]): Written {
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
    return this.#memory.copyOf(out.written)
  }

  #writeMessage(message: SentMessage): void {
    if (message instanceof Envelope) this.#messages.write(message.bytes, message.form)
    // A hidden message, without its signature.
    else this.#text(messageText(fromStored(message), this.#options))
  }

  #writeEvent(event: StoredEvent): void {
    const { id, type, body, merged, deleted } = event
    if (body) this.#writeBody(id, body)
    else if (type === HubEventType.MERGE_MESSAGE && merged && !deleted) this.#writeMerge(id, merged)
    else this.#text(eventText(event, this.#options))
  }

  /** The merge of a message that replaced nothing. */
  #writeMerge(id: number, message: SentMessage): void {
    const out = this.#out
    out.reserve(EVENT_BYTES)
    out.part(MERGE_PARTS.id)
    out.integer(id)
    out.part(MERGE_PARTS.message)
    this.#writeMessage(message)
    out.reserve(EVENT_BYTES)
    out.part(MERGE_PARTS.end)
    this.#writeTime(id)
  }

  /** An event that has a body of its own. Nearly all are on-chain events, which are not decoded. */
  #writeBody(id: number, body: Uint8Array): void {
    const out = this.#out
    const start = out.length
    out.reserve(maxJsonBytes(body.length))
    out.part(ON_CHAIN_PARTS.id)
    out.integer(id)
    out.part(ON_CHAIN_PARTS.body)
    if (this.#onChain.write(out, sourceBytes(body), 0, body.length)) {
      out.part(ON_CHAIN_PARTS.end)
      this.#writeTime(id)
      return
    }
    out.length = start
    this.#text(decodedEventText(id, body, this.#options))
  }

  #writeTime(id: number): void {
    this.#out.integer(networkTime(eventTime(id)))
    this.#out.part(END)
  }

  #text(text: string): void {
    this.#out.latin1(Buffer.from(text).toString('latin1'))
  }
}

/** What `#writeBody` writes, from the decoded body. */
export function decodedEventText(id: number, body: Uint8Array, options: JsonOptions): string {
  const wire = fromBinary(HubEventSchema, body)
  wire.id = BigInt(id)
  wire.timestamp = BigInt(networkTime(eventTime(id)))
  return JSON.stringify(hubEventJson(wire, options))
}

/** An event as text: from the decoded messages that it has. */
function eventText(event: StoredEvent, options: JsonOptions): string {
  const { id, type } = event
  const body = messageBody(event, options)
  const timestamp = networkTime(eventTime(id))
  return `{"type":"HUB_EVENT_TYPE_${HubEventType[type]}","id":${id},${body},"blockNumber":0,"shardIndex":0,"timestamp":${timestamp}}`
}

const mergeBody = (messageJson: string, deleted: readonly string[]): string =>
  `"mergeMessageBody":{"message":${messageJson},"deletedMessages":[${deleted.join(',')}]}`

function messageBody(event: StoredEvent, options: JsonOptions): string {
  const message = messageOf(event)
  const deleted = event.deleted ? decodeList(event.deleted) : []
  if (event.type === HubEventType.MERGE_USERNAME_PROOF) {
    return `"mergeUsernameProofBody":${proofBody(message, deleted[0], options)}`
  }
  if (!message) throw new TypeError(`event ${event.id} has lost its message`)
  const text = messageText(message, options)
  switch (event.type) {
    case HubEventType.PRUNE_MESSAGE:
      return `"pruneMessageBody":{"message":${text}}`
    case HubEventType.REVOKE_MESSAGE:
      return `"revokeMessageBody":{"message":${text}}`
    default: {
      const texts = listsDeleted(message) ? deleted.map((one) => messageText(one, options)) : []
      return mergeBody(text, texts)
    }
  }
}

/**
 * Whether the merge event of a message lists what it replaced. Deployed hubs list nothing for a compact
 * state, not even the compact state before it, and published clients work out the removed links only
 * when the list is empty.
 */
const listsDeleted = ({ data }: SignedMessage): boolean =>
  data.type !== MessageType.LINK_COMPACT_STATE

function proofBody(
  message: SignedMessage | undefined,
  deleted: SignedMessage | undefined,
  options: JsonOptions,
): string {
  const parts = [
    message && `"usernameProof":${proofText(message)}`,
    deleted && `"deletedUsernameProof":${proofText(deleted)}`,
    message && `"usernameProofMessage":${messageText(message, options)}`,
    deleted && `"deletedUsernameProofMessage":${messageText(deleted, options)}`,
  ]
  return `{${parts.filter((part) => part !== undefined).join(',')}}`
}

function proofText({ data }: SignedMessage): string {
  if (data.body.case !== 'usernameProofBody') throw new TypeError('a username proof has no proof')
  return JSON.stringify(nameProofJson(data.body.value))
}

function messageOf(event: StoredEvent): SignedMessage | undefined {
  if (event.merged) return fromStored(event.merged)
  return event.message ? decodeStored(event.message) : undefined
}
