// Messages, proofs and events as JSON, written field by field in the deployed key order: defaults are
// there, unset choices and sub-messages are not, 64-bit integers are numbers.

import type { DescEnum } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import { fromUtf8, toBase64, toHex } from './bytes.ts'
import { fromWireMessage } from './decode.ts'
import { MESSAGE_FORMS, type SignedMessage } from './message.ts'
import type { HubEvent, MergeUserNameProofBody } from './wire/hub_event_pb.js'
import { HubEventTypeSchema } from './wire/hub_event_pb.js'
import type {
  CastAddBody,
  CastId,
  Embed,
  FrameActionBody,
  LinkBody,
  Message,
  MessageData,
  ReactionBody,
  UserNameProof,
  VerificationAddAddressBody,
  VerificationRemoveBody,
} from './wire/message_pb.js'
import {
  CastTypeSchema,
  HashSchemeSchema,
  MessageTypeSchema,
  NetworkSchema,
  Protocol,
  ProtocolSchema,
  ReactionTypeSchema,
  SignatureSchemeSchema,
  UserDataTypeSchema,
  UserNameTypeSchema,
} from './wire/message_pb.js'
import type { OnChainEvent } from './wire/onchain_event_pb.js'
import {
  ChannelRegisterEventTypeSchema,
  IdRegisterEventTypeSchema,
  OnChainEventTypeSchema,
  SignerEventTypeSchema,
  TierTypeSchema,
} from './wire/onchain_event_pb.js'

export type JsonOptions = {
  /** What network names begin with: SOCIAL_NETWORK_MAINNET or the deployed FARCASTER_NETWORK_MAINNET. */
  readonly networkPrefix: string
  /** Frame url and input text as they read (when they are UTF-8), or as base64 like deployed hubs. */
  readonly frameBytes: 'text' | 'base64'
}

export const DEFAULT_JSON_OPTIONS: JsonOptions = {
  networkPrefix: 'SOCIAL_NETWORK',
  frameBytes: 'text',
}

type JsonObject = { readonly [key: string]: unknown }

export type MessageJson = {
  readonly data: JsonObject
  readonly hash: string
  readonly hashScheme: string
  readonly signature: string
  readonly signatureScheme: string
  readonly signer: string
  readonly dataBytes?: string
}

export type UserNameProofJson = {
  readonly timestamp: number
  readonly name: string
  readonly owner: string
  readonly signature: string
  readonly fid: number
  readonly type: string
}

/** A message, ready for JSON.stringify. `dataBytes` is there only when the message came with it. */
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
 * JSON.stringify of `messageJson`, in less time: what needs no escaping is not looked at for it. The
 * way of every message to every reader.
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

/** The same of a message as events carry it. */
function wireMessageJson(message: Message, options: JsonOptions): MessageJson {
  return messageJson(fromWireMessage(message), options)
}

function dataJson(data: MessageData, options: JsonOptions): JsonObject {
  const json: Record<string, unknown> = {
    type: MESSAGE_TYPE(data.type),
    fid: Number(data.fid),
    timestamp: data.timestamp,
    network: networkName(data.network, options.networkPrefix),
  }
  addBody(json, data, options)
  return json
}

function addBody(json: Record<string, unknown>, { body }: MessageData, options: JsonOptions): void {
  switch (body.case) {
    case 'castAddBody':
      json.castAddBody = castAddJson(body.value)
      break
    case 'castRemoveBody':
      json.castRemoveBody = { targetHash: toBase64(body.value.targetHash) }
      break
    case 'reactionBody':
      json.reactionBody = reactionJson(body.value)
      break
    case 'verificationAddAddressBody':
      // Older clients know the body, and the signature in it, by another name; they get both.
      json.verificationAddAddressBody = verificationAddJson(body.value)
      json.verificationAddEthAddressBody = json.verificationAddAddressBody
      break
    case 'verificationRemoveBody':
      json.verificationRemoveBody = verificationRemoveJson(body.value)
      break
    case 'userDataBody':
      json.userDataBody = { type: USER_DATA_TYPE(body.value.type), value: body.value.value }
      break
    case 'linkBody':
      json.linkBody = linkJson(body.value)
      break
    case 'usernameProofBody':
      json.usernameProofBody = nameProofJson(body.value)
      break
    case 'frameActionBody':
      json.frameActionBody = frameActionJson(body.value, options)
      break
    case 'linkCompactStateBody': {
      const { type, targetFids } = body.value
      json.linkCompactStateBody = { type, targetFids: targetFids.map(Number) }
      break
    }
  }
}

function castAddJson(body: CastAddBody): JsonObject {
  const json: Record<string, unknown> = {
    embedsDeprecated: body.embedsDeprecated,
    mentions: body.mentions.map(Number),
  }
  if (body.parent.case === 'parentCastId') json.parentCastId = castIdJson(body.parent.value)
  if (body.parent.case === 'parentUrl') json.parentUrl = body.parent.value
  json.text = body.text
  json.mentionsPositions = body.mentionsPositions
  json.embeds = body.embeds.map(embedJson)
  json.type = CAST_TYPE(body.type)
  return json
}

function embedJson({ embed }: Embed): JsonObject {
  if (embed.case === 'url') return { url: embed.value }
  return embed.case === 'castId' ? { castId: castIdJson(embed.value) } : {}
}

function castIdJson(castId: CastId): JsonObject {
  return { fid: Number(castId.fid), hash: toHex(castId.hash) }
}

function reactionJson({ type, target }: ReactionBody): JsonObject {
  const name = REACTION_TYPE(type)
  if (target.case === 'targetCastId') return { type: name, targetCastId: castIdJson(target.value) }
  return target.case === 'targetUrl' ? { type: name, targetUrl: target.value } : { type: name }
}

function linkJson({ type, displayTimestamp, target }: LinkBody): JsonObject {
  const json: Record<string, unknown> = { type }
  if (displayTimestamp !== undefined) json.displayTimestamp = displayTimestamp
  if (target.case === 'targetFid') json.targetFid = Number(target.value)
  return json
}

function verificationAddJson(body: VerificationAddAddressBody): JsonObject {
  const claimSignature = toBase64(body.claimSignature)
  return {
    address: addressText(body.address, body.protocol),
    claimSignature,
    blockHash: addressText(body.blockHash, body.protocol),
    verificationType: body.verificationType,
    chainId: body.chainId,
    protocol: PROTOCOL(body.protocol),
    ethSignature: claimSignature,
  }
}

function verificationRemoveJson({ address, protocol }: VerificationRemoveBody): JsonObject {
  return { address: addressText(address, protocol), protocol: PROTOCOL(protocol) }
}

function addressText(address: Uint8Array, protocol: Protocol): string {
  return protocol === Protocol.SOLANA ? base58.encode(address) : toHex(address)
}

function frameActionJson(body: FrameActionBody, { frameBytes }: JsonOptions): JsonObject {
  const text = (bytes: Uint8Array) =>
    (frameBytes === 'text' ? fromUtf8(bytes) : undefined) ?? toBase64(bytes)
  const json: Record<string, unknown> = {
    url: text(body.url),
    buttonIndex: body.buttonIndex,
  }
  if (body.castId) json.castId = castIdJson(body.castId)
  json.inputText = text(body.inputText)
  json.state = toBase64(body.state)
  json.transactionId = toBase64(body.transactionId)
  json.address = toHex(body.address)
  return json
}

/** A username proof; its timestamp is Unix seconds. A name that is not UTF-8 reads with U+FFFD. */
export function nameProofJson(proof: UserNameProof): UserNameProofJson {
  return {
    timestamp: Number(proof.timestamp),
    name: Buffer.from(proof.name).toString('utf8'),
    owner: toHex(proof.owner),
    signature: toBase64(proof.signature),
    fid: Number(proof.fid),
    type: USER_NAME_TYPE(proof.type),
  }
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

// Full protobuf names. A number without a name can only be in a message that did not pass the checks.
function namesOf(schema: DescEnum): (number: number) => string {
  const names = new Map(schema.values.map((value) => [value.number, value.name]))
  return (number) => names.get(number) ?? `UNRECOGNIZED_${number}`
}

const CAST_TYPE = namesOf(CastTypeSchema)
const CHANNEL_REGISTER_EVENT_TYPE = namesOf(ChannelRegisterEventTypeSchema)
const HASH_SCHEME = namesOf(HashSchemeSchema)
const HUB_EVENT_TYPE = namesOf(HubEventTypeSchema)
const ID_REGISTER_EVENT_TYPE = namesOf(IdRegisterEventTypeSchema)
const MESSAGE_TYPE = namesOf(MessageTypeSchema)
const NETWORK = namesOf(NetworkSchema)
const ON_CHAIN_EVENT_TYPE = namesOf(OnChainEventTypeSchema)
const PROTOCOL = namesOf(ProtocolSchema)
const REACTION_TYPE = namesOf(ReactionTypeSchema)
const SIGNATURE_SCHEME = namesOf(SignatureSchemeSchema)
const SIGNER_EVENT_TYPE = namesOf(SignerEventTypeSchema)
const TIER_TYPE = namesOf(TierTypeSchema)
const USER_DATA_TYPE = namesOf(UserDataTypeSchema)
const USER_NAME_TYPE = namesOf(UserNameTypeSchema)

/** The name of a network number under a prefix: SOCIAL_NETWORK and 1 give SOCIAL_NETWORK_MAINNET. */
export function networkName(network: number, prefix: string): string {
  return prefix + NETWORK(network).slice('NETWORK'.length)
}
