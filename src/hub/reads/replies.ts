// The shapes of the hub's answers, for its API document. Those of messages and events are declared in
// protocol/, beside what writes them.

import Type, { type TSchema } from 'typebox'
import { SigningNetworkReply } from '../../accounts/schemas.ts'
import {
  hubEventSchema,
  messageSchema,
  onChainEventSchema,
} from '../../protocol/json/entity-schemas.ts'
import type { JsonSchema } from '../../protocol/json/json-schema.ts'
import { nameProofSchema } from '../../protocol/kinds/username-proof.ts'
import { UNIT_TYPE_NUMBERS, type UnitType } from '../../protocol/storage-units.ts'

const declared = (schema: JsonSchema): TSchema => Type.Unsafe(schema)

const nextPageToken = Type.String({ description: 'Empty on the last page' })

export const MessageSchema = declared(messageSchema)
export const MessageList = Type.Object(
  { messages: Type.Array(MessageSchema), nextPageToken },
  { $id: 'MessageList' },
)
export const NameProof = declared(nameProofSchema)
export const NameProofList = Type.Object(
  { proofs: Type.Array(NameProof) },
  { $id: 'UserNameProofList' },
)
export const ChainEvent = declared(onChainEventSchema)
export const ChainEventList = Type.Object(
  { events: Type.Array(ChainEvent), nextPageToken },
  { $id: 'OnChainEventList' },
)
export const HubEvent = declared(hubEventSchema)
export const EventList = Type.Object(
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
)
export const FidList = Type.Object(
  { fids: Type.Array(Type.Integer()), nextPageToken },
  { $id: 'FidList' },
)

/** The deployed name of a unit type: UNIT_TYPE_LEGACY, UNIT_TYPE_2024. */
export const unitTypeName = (type: UnitType): string =>
  `UNIT_TYPE_${type === 'legacy' ? 'LEGACY' : type.slice(1)}`

export const UNIT_TYPES = Object.keys(UNIT_TYPE_NUMBERS) as UnitType[]

export const StorageLimitsReply = Type.Object(
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
    units: Type.Integer({ description: 'Units that have not expired' }),
    unitDetails: Type.Array(
      Type.Object({ unitType: Type.Enum(UNIT_TYPES.map(unitTypeName)), unitSize: Type.Integer() }),
    ),
  },
  { $id: 'StorageLimits' },
)

const orNull = Type.Union([Type.Integer(), Type.Null()])

export const InfoReply = Type.Object(
  {
    version: Type.String(),
    isSyncing: Type.Boolean({ description: 'Whether a followed chain is not caught up' }),
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
  },
  { $id: 'HubInfo' },
)
