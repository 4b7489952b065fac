import { fromBinary } from '@bufbuild/protobuf'
import { decodeList, decodeStored } from '../../protocol/codec/decode.ts'
import { eventTime } from '../../protocol/event-id.ts'
import {
  hubEventJson,
  type JsonOptions,
  messageText,
  nameProofJson,
} from '../../protocol/json/json.ts'
import {
  type JsonBytes,
  jsonPart,
  maxJsonBytes,
  type SourceBytes,
} from '../../protocol/json/json-bytes.ts'
import { MergedOnChainEvents } from '../../protocol/json/on-chain-json.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import { networkTime } from '../../protocol/time.ts'
import { HubEventSchema, HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { MessageType } from '../../protocol/wire/message_pb.js'
import type { StoredEvent } from '../../storage/messages/events.ts'
import { fromStored } from '../../storage/messages/message-rows.ts'

/** A stored event as JSON text. Its message comes from its own row while that exists, else from the event. */
export function eventJson(event: StoredEvent, options: JsonOptions): string {
  const { id, body } = event
  if (body) return encodedEventJson(id, body, options)
  return withBody(event, messageBody(event, options))
}

function encodedEventJson(id: number, body: Uint8Array, options: JsonOptions): string {
  const wire = fromBinary(HubEventSchema, body)
  wire.id = BigInt(id)
  wire.timestamp = BigInt(networkTime(eventTime(id)))
  return JSON.stringify(hubEventJson(wire, options))
}

const MERGE_PARTS = {
  id: jsonPart('{"type":"HUB_EVENT_TYPE_MERGE_MESSAGE","id":'),
  message: jsonPart(',"mergeMessageBody":{"message":'),
  place: jsonPart(',"deletedMessages":[]},"blockNumber":0,"shardIndex":0,"timestamp":'),
}
const ON_CHAIN_PARTS = {
  id: jsonPart('{"type":"HUB_EVENT_TYPE_MERGE_ON_CHAIN_EVENT","id":'),
  body: jsonPart(',"mergeOnChainEventBody":'),
  place: jsonPart(',"blockNumber":0,"shardIndex":0,"timestamp":'),
}
const END = jsonPart('}')
/** Enough room for what is before a message, and for what is behind it. */
export const MERGE_EVENT_BYTES = 256

/**
 * Writes what is before the message in the event of a merge that replaced nothing. With `writeMergeEnd` it is the same as
 * `eventJson` writes.
 */
export function writeMergeHead(out: JsonBytes, id: number): void {
  out.part(MERGE_PARTS.id)
  out.integer(id)
  out.part(MERGE_PARTS.message)
}

/** Writes what is behind the message. */
export function writeMergeEnd(out: JsonBytes, id: number): void {
  out.part(MERGE_PARTS.place)
  writeTimestamp(out, id)
}

function writeTimestamp(out: JsonBytes, id: number): void {
  out.integer(networkTime(eventTime(id)))
  out.part(END)
}

/** Writes events that have a body of their own. Nearly all of them are on-chain events, which are not decoded. */
export class BodyEventWriter {
  readonly #out: JsonBytes
  readonly #options: JsonOptions
  readonly #onChain = new MergedOnChainEvents()

  constructor(out: JsonBytes, options: JsonOptions) {
    this.#out = out
    this.#options = options
  }

  /** The same as `eventJson` writes of the event whose body begins at this position. */
  write(source: SourceBytes, at: number, length: number, id: number): void {
    const out = this.#out
    const start = out.length
    out.reserve(maxJsonBytes(length))
    out.part(ON_CHAIN_PARTS.id)
    out.integer(id)
    out.part(ON_CHAIN_PARTS.body)
    if (this.#onChain.write(out, source, at, at + length)) {
      out.part(ON_CHAIN_PARTS.place)
      writeTimestamp(out, id)
      return
    }
    out.length = start
    const body = source.bytes.subarray(at, at + length)
    out.latin1(Buffer.from(encodedEventJson(id, body, this.#options)).toString('latin1'))
  }
}

function withBody({ id, type }: Pick<StoredEvent, 'id' | 'type'>, body: string): string {
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
