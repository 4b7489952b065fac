// What every message kind declares. KINDS (kinds.ts) lists them; check.ts, slots.ts, json.ts and
// storage-units.ts ask the table and know no kind by name.

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { JsonSchema } from '../json/json-schema.ts'
import type { MessageData, MessageDataSchema, MessageType } from '../wire/message_pb.js'
import type { JsonLayout, JsonObject } from './json-layout.ts'

export type { JsonObject } from './json-layout.ts'

/** The members of MessageData's oneof `body`, by name. */
type Bodies = {
  [B in MessageData['body'] as B extends { case: string } ? B['case'] : never]: B['value']
}
export type BodyCase = Exclude<keyof Bodies, undefined>
type BodyOf<C extends BodyCase> = NonNullable<Bodies[C]>

/** Kinds of storage units, by when they were rented; each lasts and holds differently. */
export type UnitType = 'legacy' | 'u2024' | 'u2025'

/** The names of the sets in code. What lists all of them is a record by these names, or derived from the sets. */
export type SetName =
  | 'casts'
  | 'links'
  | 'reactions'
  | 'userData'
  | 'verifications'
  | 'usernameProofs'
  | 'storageLends'
  | 'linkCompactState'
  | 'gaslessKeys'

/** A set of messages of one author that is listed, counted and pruned together. */
export type MessageSet = {
  readonly key: SetName
  /** The wire's StoreType; compact states and gasless keys, which the wire does not count, have 8 and 9. */
  readonly number: number
  /** The wire's name without STORE_TYPE_. */
  readonly name: string
  /** Messages that one storage unit allows, adds and removes alike; undefined: not limited by units. */
  readonly messagesPerUnit: Readonly<Record<UnitType, number>> | undefined
  /**
   * Place among the sets, from 0, when moderation announces all messages of an account: after the sets that its messages
   * depend on. Unfinished tasks are stored with it, so it never changes.
   */
  readonly announceOrder: number
  /** Whether its messages depend on messages of other sets. They are erased before all others. */
  readonly dependsOnOthers: boolean
}

/** What the views are folded from. `src/kernel/views/contribution.ts` has a reader for each. */
export type ViewSource = 'cast' | 'reaction' | 'link' | 'compactState' | 'profile'

export type BodyContext = {
  /** The message's data, which bodies may have to agree with. */
  readonly data: MessageData
  /** The body's bytes as received: decoding keeps only the last member of a oneof. */
  readonly bytes: Uint8Array
  /** Whether the author has an active pro subscription. */
  readonly pro: boolean
}

export type JsonOptions = {
  /** Prefix of network names: SOCIAL_NETWORK_MAINNET or the deployed FARCASTER_NETWORK_MAINNET. */
  readonly networkPrefix: string
  /** Frame url and input text as text (when they are UTF-8), or as base64 like deployed hubs. */
  readonly frameBytes: 'text' | 'base64'
}

/** Everything the protocol says about one message type. */
export type MessageKind<C extends BodyCase = BodyCase> = {
  readonly type: MessageType
  /** The member of MessageData's oneof `body` that messages of this type carry. */
  readonly body: C
  /** Where messages of this type are stored; undefined for those that are validated but not stored. */
  readonly set: MessageSet | undefined
  /** Whether it deletes what an add with the same slot says, and stays behind as a tombstone. */
  readonly isRemove: boolean
  /** What the views read in messages of this type; undefined: nothing. */
  readonly views: ViewSource | undefined
  /** Largest size of the data bytes; a pro subscription may allow more. */
  readonly maxDataBytes: number
  readonly maxProDataBytes?: number
  /** Messages that are older than this are refused. */
  readonly maxAgeSeconds?: number
  /** Ethereum signatures in the body of which a signer may be recovered: a submit pays for them before it is decoded. */
  readonly recoveries?: number
  /** Whether this body is valid only when the author has an active pro subscription. */
  needsPro?(body: BodyOf<C>): boolean
  /** Throws the Rejection of the first rule that the body breaks, naming the field. */
  check(body: BodyOf<C>, context: BodyContext): void
  /** The slot's key within the set and its owner; `hash` is the message's. Required when stored. */
  slotKey?(body: BodyOf<C>, hash: Uint8Array): Uint8Array
  /** The slot is one for the whole network, not one for each author. */
  readonly isSlotShared?: boolean
  /** The key under which lists find the message by what it points at; undefined: by nothing. */
  target?(body: BodyOf<C>): Uint8Array | undefined
  /** The fids that it mentions, each once. */
  mentions?(body: BodyOf<C>): number[]
  /** The fids that it points at: whom it answers, mentions, likes or follows. Subscribers choose events by them. */
  targetFids(body: BodyOf<C>): number[]
  /**
   * The fields that name the slot and what the message points at, without what the author wrote: what followers are told of messages that
   * moderation hides or erases. Undefined: the whole body only names the slot.
   */
  withoutContent?(body: BodyOf<C>): Partial<BodyOf<C>>
  /** The body in JSON, key order as deployed hubs write it. */
  json(body: BodyOf<C>, options: JsonOptions): JsonObject
  /** When `json` is `jsonByLayout` of it: bodies are then written from their bytes, without being decoded. */
  readonly layout?: JsonLayout
  /** A second name of the body in JSON, for older clients. */
  readonly olderJsonName?: string
  /** The JSON Schema of what `json` returns. */
  readonly schema: JsonSchema
}

/** Data bytes: 2 KiB, except for kinds with lists, long texts or long signatures. */
export const MAX_DATA_BYTES = 2048

export type DataInit = MessageInitShape<typeof MessageDataSchema>

/** What every message says: author, network seconds, network number. */
export type Origin = {
  readonly fid: number
  readonly timestamp: number
  readonly network: number
}

type BodyInit = NonNullable<DataInit['body']>

/** MessageData of a kind, for building messages. */
export function dataOf<C extends BodyCase>(
  { fid, timestamp, network }: Origin,
  kind: MessageKind<C>,
  value: Extract<BodyInit, { case: C }>['value'],
): DataInit {
  const body = { case: kind.body, value } as BodyInit
  return { type: kind.type, fid: BigInt(fid), timestamp, network, body }
}
