// Messages, proofs and events as JSON, written field by field in the key order of deployed hubs. Default
// values are written, unset members of a oneof and unset sub-messages are not, 64-bit integers are numbers.

import { toBase64, toHex } from './bytes.ts'
import { fromWireMessage } from './decode.ts'
import { namesOf } from './kinds/json-layout.ts'
import type { JsonObject, JsonOptions } from './kinds/kind.ts'
import { kindOfBody } from './kinds/kinds.ts'
import { nameProofJson } from './kinds/username-proof.ts'
import { MESSAGE_FORMS, type SignedMessage } from './message.ts'
import type { HubEvent, MergeUserNameProofBody } from './wire/hub_event_pb.js'
import { HubEventTypeSchema } from './wire/hub_event_pb.js'
import type { Message, MessageData } from './wire/message_pb.js'
import {
  HashSchemeSchema,
  MessageTypeSchema,
  NetworkSchema,
  SignatureSchemeSchema,
} from './wire/message_pb.js'
import type { OnChainEvent } from './wire/onchain_event_pb.js'
import {
  ChannelRegisterEventTypeSchema,
  IdRegisterEventTypeSchema,
  OnChainEventTypeSchema,
  SignerEventTypeSchema,
  TierTypeSchema,
} from './wire/onchain_event_pb.js'

export type { JsonOptions } from './kinds/kind.ts'
export { nameProofJson, type UserNameProofJson } from './kinds/username-proof.ts'

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

/** An on-chain event; all times are Unix seconds. */
export function onChainEventJson(event: OnChainEvent): JsonObject {
  const json: Record<string, unknown> = {
    type: ON_CHAIN_EVENT_TYPE(event.type),
    chainId: event.chainId,
    blockNumber: event.blockNumber,
    blockHash: toHex(event.blockHash),
    blockTimestamp: Number(event.blockTimestamp),
    transactionHash: toHex(event.transactionHash),
    logIndex: event.logIndex,
    fid: Number(event.fid),
  }
  addOnChainBody(json, event)
  json.txIndex = event.txIndex
  json.version = event.version
  return json
}

function addOnChainBody(json: Record<string, unknown>, { body }: OnChainEvent): void {
  switch (body.case) {
    case 'signerEventBody':
      json.signerEventBody = {
        key: toHex(body.value.key),
        keyType: body.value.keyType,
        eventType: SIGNER_EVENT_TYPE(body.value.eventType),
        metadata: toBase64(body.value.metadata),
        metadataType: body.value.metadataType,
      }
      break
    case 'signerMigratedEventBody':
      json.signerMigratedEventBody = { migratedAt: body.value.migratedAt }
      break
    case 'idRegisterEventBody':
      json.idRegisterEventBody = {
        to: toHex(body.value.to),
        eventType: ID_REGISTER_EVENT_TYPE(body.value.eventType),
        from: toHex(body.value.from),
        recoveryAddress: toHex(body.value.recoveryAddress),
      }
      break
    case 'storageRentEventBody':
      json.storageRentEventBody = {
        payer: toHex(body.value.payer),
        units: body.value.units,
        expiry: body.value.expiry,
      }
      break
    case 'tierPurchaseEventBody':
      json.tierPurchaseEventBody = {
        tierType: TIER_TYPE(body.value.tierType),
        forDays: Number(body.value.forDays),
        payer: toHex(body.value.payer),
      }
      break
    case 'channelRegisterEventBody':
      json.channelRegisterEventBody = {
        channelKey: body.value.channelKey,
        expiry: Number(body.value.expiry),
        ownerAddress: toHex(body.value.ownerAddress),
        eventType: CHANNEL_REGISTER_EVENT_TYPE(body.value.eventType),
        label: toBase64(body.value.label),
      }
      break
  }
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

const CHANNEL_REGISTER_EVENT_TYPE = namesOf(ChannelRegisterEventTypeSchema)
export const HASH_SCHEME = namesOf(HashSchemeSchema)
const HUB_EVENT_TYPE = namesOf(HubEventTypeSchema)
const ID_REGISTER_EVENT_TYPE = namesOf(IdRegisterEventTypeSchema)
const MESSAGE_TYPE = namesOf(MessageTypeSchema)
const NETWORK = namesOf(NetworkSchema)
const ON_CHAIN_EVENT_TYPE = namesOf(OnChainEventTypeSchema)
export const SIGNATURE_SCHEME = namesOf(SignatureSchemeSchema)
const SIGNER_EVENT_TYPE = namesOf(SignerEventTypeSchema)
const TIER_TYPE = namesOf(TierTypeSchema)

/** The name of a network number under a prefix: SOCIAL_NETWORK and 1 give SOCIAL_NETWORK_MAINNET. */
export function prefixedNetworkName(network: number, prefix: string): string {
  return prefix + NETWORK(network).slice('NETWORK'.length)
}
