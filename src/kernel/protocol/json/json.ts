// Messages, proofs and events as JSON, written field by field in the key order of deployed hubs. Default
// values are written, unset members of a oneof and unset sub-messages are not, 64-bit integers are numbers.

import { toBase64, toHex } from '../codec/bytes.ts'
import { fromWireMessage } from '../codec/decode.ts'
import { namesOf } from '../kinds/json-layout.ts'
import type { JsonObject, JsonOptions } from '../kinds/kind.ts'
import { kindOfBody } from '../kinds/kinds.ts'
import { nameProofJson } from '../kinds/username-proof.ts'
import { MESSAGE_FORMS, type SignedMessage } from '../message.ts'
import type { HubEvent, MergeUserNameProofBody } from '../wire/hub_event_pb.js'
import { HubEventTypeSchema } from '../wire/hub_event_pb.js'
import type { Message, MessageData } from '../wire/message_pb.js'
import {
  HashSchemeSchema,
  MessageTypeSchema,
  NetworkSchema,
  SignatureSchemeSchema,
} from '../wire/message_pb.js'
import { onChainEventJson } from './on-chain-json.ts'

export type { JsonOptions } from '../kinds/kind.ts'
export { nameProofJson, type UserNameProofJson } from '../kinds/username-proof.ts'
export { onChainEventJson } from './on-chain-json.ts'

export const DEFAULT_JSON_OPTIONS: JsonOptions = {
  networkPrefix: 'SOCIAL_NETWORK',
  frameBytes: 'text',
}

type MessageJson = {
  readonly data: JsonObject
  readonly hash: string
  readonly hashScheme: string
  readonly signature: string
  readonly signatureScheme: string
  readonly signer: string
  readonly dataBytes?: string
}

/** A message as a JSON object. It has `dataBytes` only when the message was received with it. */
export function messageJson(
  message: SignedMessage,
  options: JsonOptions = DEFAULT_JSON_OPTIONS,
): MessageJson {
  const json = {
    data: dataJson(message.data, options),
    hash: toHex(message.hash),
    hashScheme: HASH_SCHEME(message.hashScheme),
    signature: toBase64(message.signature),
    signatureScheme: SIGNATURE_SCHEME(message.signatureScheme),
    signer: toHex(message.signer),
  }
  if (message.form === MESSAGE_FORMS.data) return json
  return { ...json, dataBytes: toBase64(message.dataBytes) }
}

/**
 * The same text as JSON.stringify of `messageJson`, in less time: hex, base64 and names need no escaping.
 * Every list and event is written with it.
 */
export function messageText(
  message: SignedMessage,
  options: JsonOptions = DEFAULT_JSON_OPTIONS,
): string {
  const head = `{"data":${JSON.stringify(dataJson(message.data, options))},"hash":"${toHex(message.hash)}"`
  const schemes = `"hashScheme":"${HASH_SCHEME(message.hashScheme)}","signature":"${toBase64(message.signature)}","signatureScheme":"${SIGNATURE_SCHEME(message.signatureScheme)}"`
  const text = `${head},${schemes},"signer":"${toHex(message.signer)}"`
  if (message.form === MESSAGE_FORMS.data) return `${text}}`
  return `${text},"dataBytes":"${toBase64(message.dataBytes)}"}`
}

/** The JSON of a message as events carry it. */
function wireMessageJson(message: Message, options: JsonOptions): MessageJson {
  return messageJson(fromWireMessage(message), options)
}

function dataJson(data: MessageData, options: JsonOptions): JsonObject {
  const json: Record<string, unknown> = {
    type: MESSAGE_TYPE(data.type),
    fid: Number(data.fid),
    timestamp: data.timestamp,
    network: prefixedNetworkName(data.network, options.networkPrefix),
  }
  addBody(json, data, options)
  return json
}

function addBody(json: Record<string, unknown>, { body }: MessageData, options: JsonOptions): void {
  if (body.case === undefined) return
  const kind = kindOfBody(body.case)
  if (!kind) return
  json[body.case] = kind.json(body.value, options)
  if (kind.olderJsonName !== undefined) json[kind.olderJsonName] = json[body.case]
}

/** An event of the feed. `timestamp` is what the event carries: network seconds. */
export function hubEventJson(
  event: HubEvent,
  options: JsonOptions = DEFAULT_JSON_OPTIONS,
): JsonObject {
  const json: Record<string, unknown> = {
    type: HUB_EVENT_TYPE(event.type),
    id: Number(event.id),
  }
  addEventBody(json, event, options)
  json.blockNumber = Number(event.blockNumber)
  json.shardIndex = event.shardIndex
  json.timestamp = Number(event.timestamp)
  return json
}

function addEventBody(
  json: Record<string, unknown>,
  { body }: HubEvent,
  options: JsonOptions,
): void {
  const message = (wire: Message | undefined) => wire && wireMessageJson(wire, options)
  switch (body.case) {
    case 'mergeMessageBody': {
      const deletedMessages = isCompactState(body.value.message)
        ? [] // as many as the author has links; readers work out the difference themselves
        : body.value.deletedMessages.map(message)
      json.mergeMessageBody = { message: message(body.value.message), deletedMessages }
      break
    }
    case 'pruneMessageBody':
      json.pruneMessageBody = { message: message(body.value.message) }
      break
    case 'revokeMessageBody':
      json.revokeMessageBody = { message: message(body.value.message) }
      break
    case 'mergeUsernameProofBody':
      json.mergeUsernameProofBody = nameProofEventJson(body.value, options)
      break
    case 'mergeOnChainEventBody': {
      const { onChainEvent } = body.value
      json.mergeOnChainEventBody = {
        onChainEvent: onChainEvent && onChainEventJson(onChainEvent),
      }
      break
    }
    case 'mergeFailure': {
      const { code, reason } = body.value
      json.mergeFailure = { message: message(body.value.message), code, reason }
      break
    }
  }
}

function nameProofEventJson(body: MergeUserNameProofBody, options: JsonOptions): JsonObject {
  const json: Record<string, unknown> = {}
  const { usernameProofMessage, deletedUsernameProofMessage } = body
  if (body.usernameProof) json.usernameProof = nameProofJson(body.usernameProof)
  if (body.deletedUsernameProof) {
    json.deletedUsernameProof = nameProofJson(body.deletedUsernameProof)
  }
  if (usernameProofMessage) {
    json.usernameProofMessage = wireMessageJson(usernameProofMessage, options)
  }
  if (deletedUsernameProofMessage) {
    json.deletedUsernameProofMessage = wireMessageJson(deletedUsernameProofMessage, options)
  }
  return json
}

function isCompactState(message: Message | undefined): boolean {
  return message?.data?.body.case === 'linkCompactStateBody'
}

export const HASH_SCHEME = namesOf(HashSchemeSchema)
const HUB_EVENT_TYPE = namesOf(HubEventTypeSchema)
const MESSAGE_TYPE = namesOf(MessageTypeSchema)
const NETWORK = namesOf(NetworkSchema)
export const SIGNATURE_SCHEME = namesOf(SignatureSchemeSchema)

/** The name of a network number under a prefix: SOCIAL_NETWORK and 1 give SOCIAL_NETWORK_MAINNET. */
export function prefixedNetworkName(network: number, prefix: string): string {
  return prefix + NETWORK(network).slice('NETWORK'.length)
}
