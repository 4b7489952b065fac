// Writes what HubReads returns as JSON.

import { fromBinary } from '@bufbuild/protobuf'
import Type, { type TSchema } from 'typebox'
import { signingNetworkJson } from '../../accounts/schemas.ts'
import { toBase64 } from '../../protocol/codec/bytes.ts'
import { type JsonOptions, nameProofJson, onChainEventJson } from '../../protocol/json/json.ts'
import { networkName } from '../../protocol/network-name.ts'
import { OnChainEventSchema } from '../../protocol/wire/onchain_event_pb.js'
import type { Envelope } from '../../storage/messages/envelopes.ts'
import type { StoredEvent } from '../../storage/messages/events.ts'
import type { Page } from '../../storage/reads/page.ts'
import type { StoredChainEvent } from '../../storage/tables/accounts.ts'
import { eventJson } from '../events/event-json.ts'
import { HubJsonWriter, tokenText } from './json-writer.ts'
import type { EventPage, Following, HeldNameProof, HubInfo, StorageLimits } from './reads.ts'
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
  write(value: T): string | Uint8Array
}

export type JsonPresenter = ReturnType<typeof jsonPresenter>

/** The JSON of every answer of the hub's reads. */
export function jsonPresenter(options: JsonOptions) {
  const writer = new HubJsonWriter(options)
  return {
    message: presented<Envelope>(MessageSchema, (message) => writer.message(message)),
    messages: presented<Page<Envelope>>(MessageList, (page) => writer.messages(page)),
    nameProof: presented<HeldNameProof>(NameProof, (proof) => JSON.stringify(nameProofJson(proof))),
    nameProofs: presented<readonly HeldNameProof[]>(NameProofList, (proofs) =>
      JSON.stringify({ proofs: proofs.map(nameProofJson) }),
    ),
    event: presented<StoredEvent>(HubEvent, (event) => eventJson(event, options)),
    events: presented<EventPage>(EventList, (page) => writer.events(page)),
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
  write,
})

/** A list or one item, where a parameter decides which is asked for. */
export const either = <T>(
  list: Presented<Page<T>>,
  item: Presented<T>,
): Presented<Page<T> | T> => ({
  schema: Type.Union([list.schema, item.schema]),
  write: (value) => (isPage(value) ? list.write(value) : item.write(value)),
})

const isPage = <T>(value: Page<T> | T): value is Page<T> =>
  typeof value === 'object' && value !== null && 'items' in value

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
