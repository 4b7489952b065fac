// Writes what HubReads returns as protobuf, for gRPC. Messages, proofs and on-chain events are written
// from the stored bytes: protobuf fields may come in any order, so nothing is decoded and encoded again.

import { create, toBinary } from '@bufbuild/protobuf'
import { concatBytes, equalBytes } from '../../protocol/codec/bytes.ts'
import { encodeEnvelope } from '../../protocol/codec/envelope.ts'
import {
  encodedSize,
  encodePacked,
  encodePackedMerge,
  encodePackedMessages,
} from '../../protocol/codec/packed-envelope.ts'
import { fieldBytes, readVarint, scanFields } from '../../protocol/codec/wire-scan.ts'
import { bytesField, fieldHead, numberField } from '../../protocol/codec/wire-write.ts'
import { eventTime } from '../../protocol/event-id.ts'
import { MESSAGE_FORMS, type MessageForm } from '../../protocol/message.ts'
import { UNIT_TYPE_NUMBERS, UNIT_TYPES } from '../../protocol/storage-units.ts'
import { networkTime } from '../../protocol/time.ts'
import { HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { MessageType, UserNameProofSchema } from '../../protocol/wire/message_pb.js'
import {
  FidAddressTypeResponseSchema,
  FidsResponseSchema,
  HubInfoResponseSchema,
  MessageErrorSchema,
  type Signer,
  SignerResponseSchema,
  SignersByFidResponseSchema,
  StorageLimitsResponseSchema,
  type StoreType,
  SyncStatusResponseSchema,
} from '../../protocol/wire/rpc_pb.js'
import { Envelope, type SentMessage } from '../../storage/messages/envelopes.ts'
import type { StoredEvent } from '../../storage/messages/events.ts'
import { envelopeOf } from '../../storage/messages/message-rows.ts'
import type { Page } from '../../storage/reads/page.ts'
import type { StoredChainEvent } from '../../storage/tables/accounts.ts'
import {
  type AddressUses,
  type HeldNameProof,
  type HubInfo,
  isSyncing,
  type StorageLimits,
} from './reads.ts'
import { unitSizes } from './replies.ts'
import type { Signers } from './signers.ts'

const MESSAGE = { data: 1, dataBytes: 7 } as const
const DATA = { type: 1, usernameProofBody: 15 } as const
const EVENT = {
  type: 1,
  id: 2,
  mergeMessage: 3,
  pruneMessage: 4,
  revokeMessage: 5,
  mergeUsernameProof: 8,
  timestamp: 15,
} as const
const PROOF = { proof: 1, deletedProof: 2, message: 3, deletedMessage: 4 } as const

/** Encodes a Message with its data in both fields, `data` and `data_bytes`: some clients read only one of them. */
export const messageBytes = ({ bytes }: Envelope): Uint8Array => encodePacked(bytes)

/** A MessagesResponse. On the last page there is no token: clients take an empty one for a next page. */
export const messagesResponse = ({ items, next }: Page<Envelope>): Uint8Array =>
  encodePackedMessages(
    items.map(({ bytes }) => bytes),
    next,
  )

/** An OnChainEventResponse. */
export function onChainEventResponse({ items, next }: Page<StoredChainEvent>): Uint8Array {
  const events = items.map(({ body }) => bytesField(1, body))
  return concatBytes(...events, ...(next ? [bytesField(2, next)] : []))
}

/** A HubEvent. block_number and shard_index are 0 and not written. */
export function hubEventBytes(event: StoredEvent): Uint8Array {
  const { id, type, body, merged, deleted } = event
  if (type === HubEventType.MERGE_MESSAGE && merged instanceof Envelope && !deleted) {
    const timestamp = networkTime(eventTime(id))
    return encodePackedMerge(merged.bytes, { type, id, timestamp })
  }
  const idField = numberField(EVENT.id, id)
  const time = numberField(EVENT.timestamp, networkTime(eventTime(id)))
  // A stored body is a HubEvent without them.
  if (body) return concatBytes(body, idField, time)
  const [number, parts] = bodyOf(event)
  const head = fieldHead(number, lengthOf(parts))
  return concatBytes(numberField(EVENT.type, type), idField, time, head, ...parts)
}

const lengthOf = (parts: readonly Uint8Array[]) =>
  parts.reduce((sum, { length }) => sum + length, 0)

/** A bytes field that is copied once, with what it becomes a part of. */
const field = (number: number, value: Uint8Array) => [fieldHead(number, value.length), value]

function bodyOf(event: StoredEvent): [field: number, parts: Uint8Array[]] {
  const message = messageOf(event)
  const deleted = event.deleted ? listed(event.deleted).map(withBothForms) : []
  if (event.type === HubEventType.MERGE_USERNAME_PROOF) {
    return [EVENT.mergeUsernameProof, proofBody(message, deleted[0])]
  }
  if (!message) throw new TypeError(`event ${event.id} has lost its message`)
  const told = field(1, message)
  if (event.type === HubEventType.PRUNE_MESSAGE) return [EVENT.pruneMessage, told]
  if (event.type === HubEventType.REVOKE_MESSAGE) return [EVENT.revokeMessage, told]
  // Deployed hubs list nothing for compact states; clients rely on it.
  const listsDeleted = deleted.length > 0 && typeOf(message) !== MessageType.LINK_COMPACT_STATE
  const replaced = listsDeleted ? deleted.flatMap((one) => field(2, one)) : []
  return [EVENT.mergeMessage, [...told, ...replaced]]
}

function proofBody(message: Uint8Array | undefined, deleted: Uint8Array | undefined): Uint8Array[] {
  const parts: Uint8Array[] = []
  if (message) parts.push(...field(PROOF.proof, proofOf(message)))
  if (deleted) parts.push(...field(PROOF.deletedProof, proofOf(deleted)))
  if (message) parts.push(...field(PROOF.message, message))
  if (deleted) parts.push(...field(PROOF.deletedMessage, deleted))
  return parts
}

function messageOf({ merged, message }: StoredEvent): Uint8Array | undefined {
  if (merged) return encodeEnvelope(inBothForms(merged))
  return message ? withBothForms(message) : undefined
}

const inBothForms = (row: SentMessage) => ({ ...envelopeOf(row), form: MESSAGE_FORMS.both })

/** A stored message's bytes with the data field added that it was received without. */
function withBothForms(message: Uint8Array): Uint8Array {
  const data = bytesOf(message, MESSAGE.data)
  const dataBytes = bytesOf(message, MESSAGE.dataBytes)
  if (!data && dataBytes) return concatBytes(message, bytesField(MESSAGE.data, dataBytes))
  if (data && !dataBytes) return concatBytes(message, bytesField(MESSAGE.dataBytes, data))
  return message
}

function proofOf(message: Uint8Array): Uint8Array {
  const proof = bytesOf(dataOf(message), DATA.usernameProofBody)
  if (!proof) throw new TypeError('a username proof has no proof')
  return proof
}

function typeOf(message: Uint8Array): number {
  const data = dataOf(message)
  const field = scanFields(data)?.find(({ number }) => number === DATA.type)
  return field ? (readVarint(data, field.start)?.value ?? 0) : 0
}

/** The data bytes of a message in both forms. */
function dataOf(message: Uint8Array): Uint8Array {
  return bytesOf(message, MESSAGE.dataBytes) ?? new Uint8Array(0)
}

/** The last occurrence, which is the one that decoders keep. */
function bytesOf(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const field = scanFields(bytes)?.findLast((field) => field.number === number)
  return field && fieldBytes(bytes, field)
}

const listed = (list: Uint8Array) =>
  (scanFields(list) ?? []).map((field) => fieldBytes(list, field))

/** Bytes of a message in a page, but for its head. */
export const messageSize = ({ bytes }: Envelope): number => encodedSize(bytes)

/** A ValidationResponse. */
export function validationResponse(valid: boolean, message: Uint8Array): Uint8Array {
  return concatBytes(numberField(1, Number(valid)), bytesField(2, message))
}

/** A UserNameProof. */
export const nameProofBytes = (proof: HeldNameProof): Uint8Array =>
  toBinary(UserNameProofSchema, create(UserNameProofSchema, proof))

/** A UsernameProofsResponse. */
export function nameProofsResponse(proofs: readonly HeldNameProof[]): Uint8Array {
  return concatBytes(...proofs.map((proof) => bytesField(1, nameProofBytes(proof))))
}

/** An EventsResponse. */
export function eventsResponse(
  events: readonly Uint8Array[],
  next: Uint8Array | undefined,
): Uint8Array {
  return concatBytes(
    ...events.map((event) => bytesField(1, event)),
    ...(next ? [bytesField(2, next)] : []),
  )
}

/** A FidsResponse. */
export function fidsResponse({ items, next }: Page<number>): Uint8Array {
  return toBinary(
    FidsResponseSchema,
    create(FidsResponseSchema, { fids: items.map(BigInt), ...(next && { nextPageToken: next }) }),
  )
}

/** A StorageLimitsResponse. */
export function storageLimitsResponse({ limits, units }: StorageLimits): Uint8Array {
  const response = create(StorageLimitsResponseSchema, {
    limits: limits.map(({ set, limit, used, oldest }) => ({
      storeType: set.number as StoreType,
      name: set.name,
      limit: BigInt(limit),
      used: BigInt(used),
      earliestTimestamp: BigInt(oldest?.timestamp ?? 0),
      earliestHash: oldest?.hash ?? new Uint8Array(0),
    })),
    units: units.legacy + units.u2024 + units.u2025,
    unitDetails: UNIT_TYPES.map((type) => ({
      unitType: UNIT_TYPE_NUMBERS[type],
      ...unitSizes(units, type),
    })),
  })
  return toBinary(StorageLimitsResponseSchema, response)
}

/** A HubInfoResponse. It has db_stats always: some clients ask without them and read them. */
export function infoResponse(info: HubInfo): Uint8Array {
  const { settings, messages, fids, registeredNames, sizeBytes } = info
  const response = create(HubInfoResponseSchema, {
    version: settings.version,
    isSyncing: isSyncing(info),
    nickname: info.nickname,
    dbStats: {
      numMessages: BigInt(messages),
      approxSize: BigInt(sizeBytes),
      numFidEvents: BigInt(fids),
      numFnameEvents: BigInt(registeredNames),
    },
    hubOperatorFid: 0n,
    numShards: 1,
    shardInfos: [
      {
        shardId: 1,
        numMessages: BigInt(messages),
        numFidRegistrations: BigInt(fids),
        approxSize: BigInt(sizeBytes),
      },
    ],
  })
  return toBinary(HubInfoResponseSchema, response)
}

/** A SyncStatusResponse. */
export function syncStatusResponse(info: HubInfo): Uint8Array {
  const response = create(SyncStatusResponseSchema, { isSyncing: isSyncing(info) })
  return toBinary(SyncStatusResponseSchema, response)
}

/** A SignerResponse. */
export const signerResponse = (signer: Signer): Uint8Array =>
  toBinary(SignerResponseSchema, create(SignerResponseSchema, { signer }))

/** A SignersByFidResponse. */
export function signersResponse(signers: Signers): Uint8Array {
  const { items, next, gaslessCount, gaslessLimit, userNonce, appNonces } = signers
  const response = create(SignersByFidResponseSchema, {
    signers: items,
    ...(next && { nextPageToken: next }),
    gaslessSignerCount: gaslessCount,
    gaslessSignerLimit: gaslessLimit,
    currentUserNonce: userNonce,
    requesterFidNonces: Object.fromEntries(appNonces),
  })
  return toBinary(SignersByFidResponseSchema, response)
}

/** A FidAddressTypeResponse. */
export const addressTypeResponse = (uses: AddressUses): Uint8Array =>
  toBinary(FidAddressTypeResponseSchema, create(FidAddressTypeResponseSchema, uses))

/** A SubmitBulkMessagesResponse: for each message its bytes or why it was refused. */
export function bulkResponse(
  answers: readonly (Uint8Array | { hash: Uint8Array; errCode: string; message: string })[],
): Uint8Array {
  const parts = answers.map((answer) =>
    answer instanceof Uint8Array
      ? bytesField(1, answer)
      : bytesField(2, toBinary(MessageErrorSchema, create(MessageErrorSchema, answer))),
  )
  return concatBytes(...parts.map((part) => bytesField(1, part)))
}

/**
 * What a submit answers: the message as it was sent, as long as clients that read `data` alone and
 * clients that read `data_bytes` find the same in it; else in this form, by default with both fields.
 */
export function echoedMessage(
  sent: Uint8Array,
  message: Parameters<typeof encodeEnvelope>[0],
  form: MessageForm = MESSAGE_FORMS.both,
): Uint8Array {
  const data = bytesOf(sent, MESSAGE.data)
  const dataBytes = bytesOf(sent, MESSAGE.dataBytes)
  if (data?.length && (!dataBytes?.length || equalBytes(data, dataBytes))) return sent
  return encodeEnvelope({ ...message, form })
}
