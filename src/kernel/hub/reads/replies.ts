// The replies of the hub's reads: the schema of each, for the API document, and how it is written. The schemas of messages
// and events are declared in protocol/, beside what writes them.

import { fromBinary } from '@bufbuild/protobuf'
import Type, { type TSchema } from 'typebox'
import { SigningNetworkReply, signingNetworkJson } from '../../accounts/schemas.ts'
import type { LentBytes } from '../../http/answer-memory.ts'
import { toBase64, toHex } from '../../protocol/codec/bytes.ts'
import {
  hubEventSchema,
  messageSchema,
  onChainEventSchema,
} from '../../protocol/json/entity-schemas.ts'
import { nameProofJson, onChainEventJson } from '../../protocol/json/json.ts'
import type { JsonSchema } from '../../protocol/json/json-schema.ts'
import { namesOf } from '../../protocol/kinds/json-layout.ts'
import { nameProofSchema } from '../../protocol/kinds/username-proof.ts'
import { networkName } from '../../protocol/network-name.ts'
import { type HeldUnits, UNIT_TYPES, type UnitType } from '../../protocol/storage-units.ts'
import { MessageTypeSchema } from '../../protocol/wire/message_pb.js'
import { OnChainEventSchema } from '../../protocol/wire/onchain_event_pb.js'
import { type Signer as SignerInfo, SignerSourceSchema } from '../../protocol/wire/rpc_pb.js'
import type { Envelope } from '../../storage/messages/envelopes.ts'
import type { StoredEvent } from '../../storage/messages/events.ts'
import type { Page } from '../../storage/reads/page.ts'
import type { StoredChainEvent } from '../../storage/tables/accounts.ts'
import type { EventPage } from '../events/event-reads.ts'
import { type HubJsonWriter, tokenText } from './json-writer.ts'
import {
  type AddressUses,
  type Following,
  type HeldNameProof,
  type HubInfo,
  isSyncing,
  type StorageLimits,
} from './reads.ts'
import type { Signers } from './signers.ts'

/** A value that the hub answers with: its schema, and how it is written as JSON. */
export type HubReply<T> = {
  readonly schema: TSchema
  write(value: T, json: HubJsonWriter): string | Uint8Array | LentBytes
}

const declared = (schema: JsonSchema): TSchema => Type.Unsafe(schema)

const nextPageToken = Type.String({ description: 'Empty on the last page' })

export const MessageSchema = declared(messageSchema)

export const messageReply: HubReply<Envelope> = {
  schema: MessageSchema,
  write: (message, json) => json.message(message),
}

export const messagesReply: HubReply<Page<Envelope>> = {
  schema: Type.Object(
    { messages: Type.Array(MessageSchema), nextPageToken },
    { $id: 'MessageList' },
  ),
  write: (page, json) => json.messages(page),
}

const NameProof = declared(nameProofSchema)

export const nameProofReply: HubReply<HeldNameProof> = {
  schema: NameProof,
  write: (proof) => JSON.stringify(nameProofJson(proof)),
}

export const nameProofsReply: HubReply<readonly HeldNameProof[]> = {
  schema: Type.Object({ proofs: Type.Array(NameProof) }, { $id: 'UserNameProofList' }),
  write: (proofs) => JSON.stringify({ proofs: proofs.map(nameProofJson) }),
}

const ChainEvent = declared(onChainEventSchema)

const chainEventJson = (event: StoredChainEvent) =>
  onChainEventJson(fromBinary(OnChainEventSchema, event.body))

export const chainEventReply: HubReply<StoredChainEvent> = {
  schema: ChainEvent,
  write: (event) => JSON.stringify(chainEventJson(event)),
}

export const chainEventsReply: HubReply<Page<StoredChainEvent>> = {
  schema: Type.Object(
    { events: Type.Array(ChainEvent), nextPageToken },
    { $id: 'OnChainEventList' },
  ),
  write: ({ items, next }) =>
    JSON.stringify({ events: items.map(chainEventJson), nextPageToken: tokenText(next) }),
}

const HubEvent = declared(hubEventSchema)

export const eventReply: HubReply<StoredEvent> = {
  schema: HubEvent,
  write: (event, json) => json.event(event),
}

export const eventsReply: HubReply<EventPage> = {
  schema: Type.Object(
    {
      nextPageEventId: Type.Integer({ description: 'The from_event_id of the next page' }),
      oldestEventId: Type.Optional(
        Type.Integer({ description: 'Present when events were asked for that are pruned' }),
      ),
      events: Type.Array(HubEvent),
      nextPageToken: Type.Optional(
        Type.String({
          description:
            'The pageToken of the next page, empty on the last one. Present when stop_id, reverse or pageToken was given.',
        }),
      ),
    },
    { $id: 'HubEventList' },
  ),
  write: (page, json) => json.events(page),
}

export const fidsReply: HubReply<Page<number>> = {
  schema: Type.Object({ fids: Type.Array(Type.Integer()), nextPageToken }, { $id: 'FidList' }),
  write: ({ items, next }) => JSON.stringify({ fids: items, nextPageToken: tokenText(next) }),
}

/** A list or one item, where a parameter decides which is asked for. */
export const either = <T>(list: HubReply<Page<T>>, item: HubReply<T>): HubReply<Page<T> | T> => ({
  schema: Type.Union([list.schema, item.schema]),
  write: (value, json) => (isPage(value) ? list.write(value, json) : item.write(value, json)),
})

const isPage = <T>(value: Page<T> | T): value is Page<T> =>
  typeof value === 'object' && value !== null && 'items' in value

/** The deployed name of a unit type: UNIT_TYPE_LEGACY, UNIT_TYPE_2024. */
const unitTypeName = (type: UnitType): string =>
  `UNIT_TYPE_${type === 'legacy' ? 'LEGACY' : type.slice(1)}`

const StorageLimitsSchema = Type.Object(
  {
    limits: Type.Array(
      Type.Object({
        storeType: Type.String({ examples: ['STORE_TYPE_CASTS'] }),
        name: Type.String({ examples: ['CASTS'] }),
        limit: Type.Integer({ description: 'Messages, adds and removes alike' }),
        used: Type.Integer(),
        earliestTimestamp: Type.Integer({
          description:
            'Of the message that is pruned first, seconds since 2021-01-01T00:00:00Z; 0: none',
        }),
        earliestHash: Type.String({ description: 'Of the same message, base64; empty: none' }),
      }),
    ),
    units: Type.Integer({
      description: 'Units that the fid may use: not expired, not lent, or borrowed',
    }),
    unitDetails: Type.Array(
      Type.Object({
        unitType: Type.Enum(UNIT_TYPES.map(unitTypeName)),
        unitSize: Type.Integer({ description: 'Purchased less lent, and borrowed' }),
        purchasedUnitSize: Type.Integer(),
        lentUnitSize: Type.Integer({ description: 'To other fids, by LEND_STORAGE messages' }),
        borrowedUnitSize: Type.Integer({ description: 'From other fids' }),
      }),
    ),
  },
  { $id: 'StorageLimits' },
)

export const storageLimitsReply: HubReply<StorageLimits> = {
  schema: StorageLimitsSchema,
  write: ({ limits, units }) =>
    JSON.stringify({
      limits: limits.map(({ set, limit, used, oldest }) => ({
        storeType: `STORE_TYPE_${set.name}`,
        name: set.name,
        limit,
        used,
        earliestTimestamp: oldest?.timestamp ?? 0,
        earliestHash: oldest ? toBase64(oldest.hash) : '',
      })),
      units: units.legacy + units.u2024 + units.u2025,
      unitDetails: UNIT_TYPES.map((type) => ({
        unitType: unitTypeName(type),
        ...unitSizes(units, type),
      })),
    }),
}

/** The sizes of a StorageUnitDetails. */
export const unitSizes = (units: HeldUnits, type: UnitType) => ({
  unitSize: units[type],
  purchasedUnitSize: units.purchased[type],
  lentUnitSize: units.lent[type],
  borrowedUnitSize: units.borrowed[type],
})

const Signer = Type.Object(
  {
    source: Type.Enum(['SIGNER_SOURCE_ONCHAIN', 'SIGNER_SOURCE_OFFCHAIN'], {
      description: 'Whether a transaction or a message has added it',
    }),
    key: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
    keyType: Type.Integer(),
    fid: Type.Integer(),
    addedAt: Type.Optional(Type.Integer({ description: 'Unix seconds' })),
    lastUsedAt: Type.Optional(Type.Integer({ description: 'Unix seconds, to five minutes' })),
    ttl: Type.Optional(Type.Integer({ description: 'Seconds without use after which it expires' })),
    expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds' })),
    scopes: Type.Optional(
      Type.Array(Type.String({ examples: ['MESSAGE_TYPE_CAST_ADD'] }), {
        description: 'The message types that it may sign',
      }),
    ),
    requestFid: Type.Optional(Type.Integer({ description: 'The app that asked for it' })),
    nonce: Type.Optional(Type.Integer()),
    onChainEvent: Type.Optional(ChainEvent),
  },
  { $id: 'Signer' },
)
export const signerReply: HubReply<SignerInfo> = {
  schema: Type.Object({ signer: Signer }, { $id: 'SignerReply' }),
  write: (signer) => JSON.stringify({ signer: signerJson(signer) }),
}
export const signersReply: HubReply<Signers> = {
  schema: Type.Object(
    {
      signers: Type.Array(Signer),
      nextPageToken,
      gaslessSignerCount: Type.Integer(),
      gaslessSignerLimit: Type.Integer(),
      currentUserNonce: Type.Integer({
        description: 'The largest nonce that the custody address has used',
      }),
      requesterFidNonces: Type.Optional(
        Type.Record(Type.String(), Type.Integer(), {
          description:
            'By requesterFids: the largest nonce with which a key of the app has removed itself',
        }),
      ),
    },
    { $id: 'SignerList' },
  ),
  write: ({ items, next, ...signers }) =>
    JSON.stringify({
      signers: items.map(signerJson),
      nextPageToken: tokenText(next),
      gaslessSignerCount: signers.gaslessCount,
      gaslessSignerLimit: signers.gaslessLimit,
      currentUserNonce: signers.userNonce,
      ...(signers.appNonces.size > 0 && {
        requesterFidNonces: Object.fromEntries(signers.appNonces),
      }),
    }),
}

function signerJson(signer: SignerInfo): object {
  const { source, key, keyType, fid, addedAt, lastUsedAt, ttl, expiresAt, scopes } = signer
  const { requestFid, nonce, onchainEvent } = signer
  const seconds = (value: bigint | undefined) => (value === undefined ? undefined : Number(value))
  return {
    source: signerSource(source),
    key: toHex(key),
    keyType,
    fid: Number(fid),
    addedAt: seconds(addedAt),
    lastUsedAt: seconds(lastUsedAt),
    ttl,
    expiresAt: seconds(expiresAt),
    ...(scopes.length > 0 && { scopes: scopes.map(messageTypeName) }),
    requestFid: seconds(requestFid),
    nonce,
    ...(onchainEvent && { onChainEvent: onChainEventJson(onchainEvent) }),
  }
}

const signerSource = namesOf(SignerSourceSchema)
const messageTypeName = namesOf(MessageTypeSchema)

export const addressUsesReply: HubReply<AddressUses> = {
  schema: Type.Object(
    { is_custody: Type.Boolean(), is_auth: Type.Boolean(), is_verified: Type.Boolean() },
    { $id: 'FidAddressType' },
  ),
  write: ({ isCustody, isAuth, isVerified }) =>
    JSON.stringify({ is_custody: isCustody, is_auth: isAuth, is_verified: isVerified }),
}

const orNull = Type.Union([Type.Integer(), Type.Null()])

const InfoSchema = Type.Object(
  {
    version: Type.String(),
    isSyncing: Type.Boolean({
      description: 'Whether a followed chain, or a mirrored hub, is not read to the end',
    }),
    nickname: Type.String(),
    network: Type.String({
      description: 'What messages must be signed for: mainnet, testnet or devnet',
    }),
    rootHash: Type.String(),
    dbStats: Type.Optional(
      Type.Object({
        numMessages: Type.Integer(),
        numFidEvents: Type.Integer(),
        numFnameEvents: Type.Integer(),
        numFidRegistrations: Type.Integer(),
        approxSize: Type.Integer({ description: 'Bytes' }),
      }),
    ),
    peerId: Type.String(),
    hubOperatorFid: Type.Integer(),
    numShards: Type.Integer(),
    shardInfos: Type.Array(
      Type.Object({
        shardId: Type.Integer(),
        maxHeight: Type.Integer(),
        numMessages: Type.Integer(),
        numFidRegistrations: Type.Integer(),
        approxSize: Type.Integer(),
        blockDelay: Type.Integer(),
        mempoolSize: Type.Integer(),
      }),
    ),
    accounts: SigningNetworkReply,
    storeId: Type.Optional(
      Type.String({
        description:
          'Another one after a reset or with other data: fids may then belong to others than before',
      }),
    ),
    chain: Type.Optional(
      Type.Object(
        {
          chainId: Type.Integer(),
          headBlock: orNull,
          followedBlock: orNull,
          blocksBehind: orNull,
          secondsBehind: orNull,
        },
        { description: 'Present when a chain is followed; null: not known yet' },
      ),
    ),
    mirror: Type.Optional(
      Type.Object(
        {
          host: Type.String(),
          kind: Type.String({ description: 'What runs there, and its version' }),
          scope: Type.Union([Type.Literal('all'), Type.Literal('chosen')]),
          people: Type.Integer({ description: 'People who are mirrored' }),
          lagSeconds: Type.Integer(),
          isComplete: Type.Boolean({ description: 'Whether everybody was read at least once' }),
          trust: Type.String({ description: 'What is believed without proof' }),
          submits: Type.Union([Type.Literal('refuse'), Type.Literal('forward')], {
            description:
              '`refuse`: submit messages to the host; `forward`: submits are passed on to it',
          }),
        },
        { description: 'Present when this server mirrors another hub' },
      ),
    ),
  },
  { $id: 'HubInfo' },
)

export const infoReply: HubReply<{ info: HubInfo; withStats: boolean }> = {
  schema: InfoSchema,
  write: ({ info, withStats }) => JSON.stringify(infoJson(info, withStats)),
}

function infoJson(info: HubInfo, withStats: boolean): object {
  const { settings, signingNetwork, following, messages, fids, registeredNames, sizeBytes } = info
  const stats = {
    numMessages: messages,
    numFidEvents: fids,
    numFnameEvents: registeredNames,
    numFidRegistrations: fids,
    approxSize: sizeBytes,
  }
  return {
    version: settings.version,
    isSyncing: isSyncing(info),
    nickname: info.nickname,
    network: networkName(settings.network),
    rootHash: '',
    ...(withStats && { dbStats: stats }),
    peerId: '',
    hubOperatorFid: 0,
    numShards: 1,
    shardInfos: [
      {
        shardId: 1,
        maxHeight: 0,
        numMessages: info.messages,
        numFidRegistrations: info.fids,
        approxSize: info.sizeBytes,
        blockDelay: 0,
        mempoolSize: 0,
      },
    ],
    accounts: signingNetworkJson(signingNetwork),
    ...(info.storeId && { storeId: info.storeId }),
    ...(following && { chain: chainJson(following) }),
    ...(info.mirror && { mirror: info.mirror }),
  }
}

/** Unknown values are null. */
const chainJson = (following: Following) => ({
  chainId: following.chainId,
  headBlock: following.headBlock ?? null,
  followedBlock: following.followedBlock ?? null,
  blocksBehind: following.blocksBehind ?? null,
  secondsBehind: following.secondsBehind ?? null,
})
