// The JSON Schemas of what json.ts writes: messages, on-chain events and hub events. Bodies of messages
// have theirs in kinds/.

import { namesOf } from '../kinds/json-layout.ts'
import { enumSchema } from '../kinds/json-values.ts'
import type { MessageKind } from '../kinds/kind.ts'
import { KINDS } from '../kinds/kinds.ts'
import { nameProofSchema } from '../kinds/username-proof.ts'
import { HASH_BYTES, KEY_BYTES } from '../sizes.ts'
import { HubEventType, HubEventTypeSchema } from '../wire/hub_event_pb.js'
import { MessageTypeSchema } from '../wire/message_pb.js'
import {
  ChannelRegisterEventTypeSchema,
  IdRegisterEventTypeSchema,
  OnChainEventType,
  OnChainEventTypeSchema,
  SignerEventTypeSchema,
  TierTypeSchema,
} from '../wire/onchain_event_pb.js'
import {
  base64,
  hex,
  integer,
  type JsonSchema,
  list,
  literal,
  object,
  text,
  union,
} from './json-schema.ts'

const messageTypeName = namesOf(MessageTypeSchema)

/** MessageData of each type: the type tells which body it has. */
const dataSchema = union(KINDS.map(dataSchemaOf), 'MessageData')

function dataSchemaOf(kind: MessageKind): JsonSchema {
  const older = kind.olderJsonName === undefined ? {} : { [kind.olderJsonName]: kind.schema }
  return object(
    {
      type: literal(messageTypeName(kind.type)),
      fid: integer({ description: 'The author' }),
      timestamp: integer({ description: 'Seconds since 2021-01-01T00:00:00Z' }),
      network: text({ examples: ['SOCIAL_NETWORK_DEVNET'] }),
      [kind.body]: kind.schema,
      ...older,
    },
    { id: dataSchemaId(kind) },
  )
}

/** MESSAGE_TYPE_CAST_ADD: CastAddData. */
function dataSchemaId({ type }: MessageKind): string {
  const words = messageTypeName(type).replace('MESSAGE_TYPE_', '').toLowerCase().split('_')
  return `${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}Data`
}

/** What `messageJson` returns for a valid message. */
export const messageSchema = object(
  {
    data: dataSchema,
    hash: hex('BLAKE3 over the data bytes, cut to 20 bytes', HASH_BYTES),
    hashScheme: literal('HASH_SCHEME_BLAKE3'),
    signature: base64('Ed25519 over the hash, 64 bytes'),
    signatureScheme: literal('SIGNATURE_SCHEME_ED25519'),
    signer: hex('Ed25519 public key', KEY_BYTES),
  },
  {
    id: 'Message',
    optional: { dataBytes: base64('present when the message was received with data_bytes') },
  },
)

const onChainBodies: readonly (readonly [OnChainEventType, string, JsonSchema])[] = [
  [
    OnChainEventType.EVENT_TYPE_SIGNER,
    'signerEventBody',
    object(
      {
        key: hex('the public key'),
        keyType: integer({ description: '1: Ed25519; 2: an auth address' }),
        eventType: enumSchema(SignerEventTypeSchema, 0),
        metadata: base64('the signed key request'),
        metadataType: integer(),
      },
      { id: 'SignerEventBody' },
    ),
  ],
  [
    OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED,
    'signerMigratedEventBody',
    object({ migratedAt: integer() }, { id: 'SignerMigratedEventBody' }),
  ],
  [
    OnChainEventType.EVENT_TYPE_ID_REGISTER,
    'idRegisterEventBody',
    object(
      {
        to: hex('the new custody address'),
        eventType: enumSchema(IdRegisterEventTypeSchema, 0),
        from: hex('the custody address before'),
        recoveryAddress: hex('the recovery address'),
      },
      { id: 'IdRegisterEventBody' },
    ),
  ],
  [
    OnChainEventType.EVENT_TYPE_STORAGE_RENT,
    'storageRentEventBody',
    object(
      { payer: hex('who paid'), units: integer(), expiry: integer() },
      { id: 'StorageRentEventBody' },
    ),
  ],
  [
    OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
    'tierPurchaseEventBody',
    object(
      { tierType: enumSchema(TierTypeSchema), forDays: integer(), payer: hex('who paid') },
      { id: 'TierPurchaseBody' },
    ),
  ],
  [
    OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER,
    'channelRegisterEventBody',
    object(
      {
        channelKey: text(),
        expiry: integer({ description: 'Unix seconds' }),
        ownerAddress: hex('the owner'),
        eventType: enumSchema(ChannelRegisterEventTypeSchema),
        label: base64('the label'),
      },
      { id: 'ChannelRegisterEventBody' },
    ),
  ],
]

const onChainTypeName = namesOf(OnChainEventTypeSchema)

/** What `onChainEventJson` returns: the type tells which body it has. */
export const onChainEventSchema = union(
  onChainBodies.map(([type, name, body]) =>
    object({
      type: literal(onChainTypeName(type)),
      chainId: integer({ description: '0 for events of the embedded ledger' }),
      blockNumber: integer(),
      blockHash: hex('the block'),
      blockTimestamp: integer({ description: 'Unix seconds' }),
      transactionHash: hex('the transaction'),
      logIndex: integer(),
      fid: integer(),
      [name]: body,
      txIndex: integer(),
      version: integer(),
    }),
  ),
  'OnChainEvent',
)

const hubEventBodies: readonly (readonly [HubEventType, string, JsonSchema])[] = [
  [
    HubEventType.MERGE_MESSAGE,
    'mergeMessageBody',
    object(
      {
        message: messageSchema,
        deletedMessages: list(messageSchema, {
          description:
            'The messages that it replaced. Always empty for a compact state: readers delete the older links that it does not list',
        }),
      },
      { id: 'MergeMessageBody' },
    ),
  ],
  [
    HubEventType.PRUNE_MESSAGE,
    'pruneMessageBody',
    object({ message: messageSchema }, { id: 'PruneMessageBody' }),
  ],
  [
    HubEventType.REVOKE_MESSAGE,
    'revokeMessageBody',
    object({ message: messageSchema }, { id: 'RevokeMessageBody' }),
  ],
  [
    HubEventType.MERGE_USERNAME_PROOF,
    'mergeUsernameProofBody',
    object(
      {},
      {
        id: 'MergeUserNameProofBody',
        description: 'The new proof and the one that it replaced; messages for ENS names only',
        optional: {
          usernameProof: nameProofSchema,
          deletedUsernameProof: nameProofSchema,
          usernameProofMessage: messageSchema,
          deletedUsernameProofMessage: messageSchema,
        },
      },
    ),
  ],
  [
    HubEventType.MERGE_ON_CHAIN_EVENT,
    'mergeOnChainEventBody',
    object({ onChainEvent: onChainEventSchema }, { id: 'MergeOnChainEventBody' }),
  ],
]

const hubEventTypeName = namesOf(HubEventTypeSchema)

/** What `hubEventJson` returns for the events of this hub: the type tells which body it has. */
export const hubEventSchema = union(
  hubEventBodies.map(([type, name, body]) =>
    object({
      type: literal(hubEventTypeName(type)),
      id: integer({ description: 'Grows with every event' }),
      [name]: body,
      blockNumber: integer(),
      shardIndex: integer(),
      timestamp: integer({ description: 'Seconds since 2021-01-01T00:00:00Z' }),
    }),
  ),
  'HubEvent',
)
