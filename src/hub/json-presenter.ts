// Writes what HubReads returns as JSON. Messages and events write themselves: see rendered-messages.ts.

import { fromBinary } from '@bufbuild/protobuf'
import Type, { type TSchema } from 'typebox'
import { signingNetworkJson } from '../accounts/schemas.ts'
import { toBase64 } from '../protocol/bytes.ts'
import { type JsonOptions, nameProofJson, onChainEventJson } from '../protocol/json.ts'
import { networkName } from '../protocol/network-name.ts'
import { OnChainEventSchema } from '../protocol/wire/onchain_event_pb.js'
import type { StoredChainEvent } from '../storage/accounts.ts'
import type { StoredEvent } from '../storage/events.ts'
import type { Page } from '../storage/page.ts'
import { eventJson } from './event-json.ts'
import { writeList } from './json-list.ts'
import { type OneByteText, oneByteText } from './one-byte-text.ts'
import type { EventPage, Following, HeldNameProof, HubInfo, StorageLimits } from './reads.ts'
import type { RenderedEventPage } from './rendered-events.ts'
import type { RenderedMessage } from './rendered-messages.ts'
import {
  ChainEvent,
  ChainEventList,
  EventList,
  FidList,
  HubEvent,
  InfoReply,
  MessageList,
  MessageSchema,
  NameProof,
  NameProofList,
  StorageLimitsReply,
  UNIT_TYPES,
  unitTypeName,
} from './replies.ts'

/** How a value is answered: as JSON in this text, which is of this shape. */
export type Presented<T> = {
  readonly schema: TSchema
  /** Whether the texts that `write` returns are `OneByteText`. */
  readonly isOneByte: boolean
  write(value: T): string | Uint8Array
}

export type JsonPresenter = ReturnType<typeof jsonPresenter>

/** The JSON of every answer of the hub's reads. */
export function jsonPresenter(options: JsonOptions) {
  return {
    message: ready<RenderedMessage>(MessageSchema, ({ text }) => text),
    messages: ready<Page<RenderedMessage>>(MessageList, ({ items, next }) => {
      const end = `],"nextPageToken":"${tokenText(next)}"}`
      return writeList('{"messages":[', items, (message) => message.write(), end)
    }),
    nameProof: presented<HeldNameProof>(NameProof, (proof) => JSON.stringify(nameProofJson(proof))),
    nameProofs: presented<readonly HeldNameProof[]>(NameProofList, (proofs) =>
      JSON.stringify({ proofs: proofs.map(nameProofJson) }),
    ),
    event: presented<StoredEvent>(HubEvent, (event) => eventJson(event, options)),
    events: ready<EventPage | RenderedEventPage>(EventList, (page) => {
      const { nextId, oldestId } = page
      const token = 'token' in page ? `,"nextPageToken":"${tokenText(page.token)}"` : ''
      const oldest = oldestId === undefined ? '' : `"oldestEventId":${oldestId},`
      const head = `{"nextPageEventId":${nextId},${oldest}"events":[`
      if ('write' in page) return page.write(head, ']}')
      return oneByteText(
        `${head}${page.events.map((event) => eventJson(event, options)).join(',')}]${token}}`,
      )
    }),
    fids: presented<Page<number>>(FidList, ({ items, next }) =>
      JSON.stringify({ fids: items, nextPageToken: tokenText(next) }),
    ),
    storageLimits: presented(StorageLimitsReply, storageLimitsText),
    chainEvent: presented<StoredChainEvent>(ChainEvent, (event) =>
      JSON.stringify(chainEventJson(event)),
    ),
    chainEvents: presented<Page<StoredChainEvent>>(ChainEventList, ({ items, next }) =>
      JSON.stringify({ events: items.map(chainEventJson), nextPageToken: tokenText(next) }),
    ),
    info: presented<{ info: HubInfo; withStats: boolean }>(InfoReply, ({ info, withStats }) =>
      JSON.stringify(infoJson(info, withStats)),
    ),
  }
}

const presented = <T>(schema: TSchema, write: Presented<T>['write']): Presented<T> => ({
  schema,
  isOneByte: false,
  write,
})

const ready = <T>(
  schema: TSchema,
  write: (value: T) => OneByteText | Uint8Array,
): Presented<T> => ({
  schema,
  isOneByte: true,
  write,
})

/** A list or one item, where a parameter decides which is asked for. */
export const either = <T>(
  list: Presented<Page<T>>,
  item: Presented<T>,
): Presented<Page<T> | T> => ({
  schema: Type.Union([list.schema, item.schema]),
  isOneByte: list.isOneByte && item.isOneByte,
  write: (value) => (isPage(value) ? list.write(value) : item.write(value)),
})

const isPage = <T>(value: Page<T> | T): value is Page<T> =>
  typeof value === 'object' && value !== null && 'items' in value

/** The end of a list is an empty token, on every list. */
const tokenText = (token: Uint8Array | undefined) => (token ? toBase64(token) : '')

const chainEventJson = (event: StoredChainEvent) =>
  onChainEventJson(fromBinary(OnChainEventSchema, event.body))

function storageLimitsText({ limits, units }: StorageLimits): string {
  return JSON.stringify({
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
      unitSize: units[type],
    })),
  })
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
    isSyncing: following !== undefined && !following.isCaughtUp,
    nickname: settings.nickname,
    network: networkName(settings.network),
    rootHash: '',
    ...(withStats && { dbStats: stats }),
    peerId: '',
    hubOperatorFid: settings.operatorFid,
    numShards: settings.shards,
    shardInfos: info.shards.map((shard, i) => ({
      shardId: i + 1,
      maxHeight: 0,
      numMessages: shard.messages,
      numFidRegistrations: shard.fids,
      approxSize: shard.sizeBytes,
      blockDelay: 0,
      mempoolSize: 0,
    })),
    accounts: signingNetworkJson(signingNetwork),
    ...(following && { chain: chainJson(following) }),
  }
}

/** What is not known yet is null. */
const chainJson = (following: Following) => ({
  chainId: following.chainId,
  headBlock: following.headBlock ?? null,
  followedBlock: following.followedBlock ?? null,
  blocksBehind: following.blocksBehind ?? null,
  secondsBehind: following.secondsBehind ?? null,
})
