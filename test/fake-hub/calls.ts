// The calls of a scripted hub: reads of one fid, reads of all shards, the log, the trie and submits.

import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import * as grpc from '@grpc/grpc-js'
import type { SignedMessage } from '../../src/kernel/protocol/message.ts'
import { targetOf } from '../../src/kernel/protocol/slots.ts'
import { unixMsOf } from '../../src/kernel/protocol/time.ts'
import { MessageType, type UserNameProof } from '../../src/kernel/protocol/wire/message_pb.js'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventType,
  SignerEventType,
} from '../../src/kernel/protocol/wire/onchain_event_pb.js'
import {
  type HubService,
  type MessagesResponseSchema,
  SignerSource,
  StoreType,
} from '../../src/kernel/protocol/wire/rpc_pb.js'
import { CallError } from './call-error.ts'
import type { FakeHub } from './fake-hub.ts'
import {
  isAddOf,
  isLastToken,
  isOf,
  joinedPage,
  type ListName,
  mentions,
  messageKey,
  type Page,
  type PageRequest,
  pageOf,
  TYPES,
} from './lists.ts'
import { type FakeShard, hexOf, isFname, type Stored, storedOf } from './shard.ts'
import { typePrefix } from './trie.ts'

type Methods = (typeof HubService)['method']
export type Method = keyof Methods
type Handlers = {
  readonly [M in Method]?: (
    hub: FakeHub,
    request: MessageShape<Methods[M]['input']>,
    metadata: grpc.Metadata,
  ) => MessageInitShape<Methods[M]['output']>
}
type MessagesInit = MessageInitShape<typeof MessagesResponseSchema>

const EVENTS_PER_PAGE = 1_000
const { INTERNAL, INVALID_ARGUMENT, NOT_FOUND, UNAUTHENTICATED } = grpc.status
const GASLESS_KEYS = 1_000

type FidRequest = PageRequest & { readonly fid: bigint }
type TimedRequest = FidRequest & {
  readonly startTimestamp?: bigint
  readonly stopTimestamp?: bigint
}

type ShardOf = (hub: FakeHub, fid: number) => FakeShard

const allOf =
  (list: ListName, shardOf: ShardOf = homeOf) =>
  (hub: FakeHub, request: TimedRequest): MessagesInit => {
    const start = Number(request.startTimestamp ?? 0)
    const stop = Number(request.stopTimestamp ?? Number.MAX_SAFE_INTEGER)
    const isWanted = (one: Stored) =>
      isOf(one, list) && one.data.timestamp >= start && one.data.timestamp <= stop
    return listOfFid(hub, request, isWanted, shardOf)
  }

const homeOf: ShardOf = (hub, fid) => hub.shardOf(fid)

const addsOf =
  (list: ListName) =>
  (hub: FakeHub, request: FidRequest): MessagesInit =>
    listOfFid(hub, request, (one) => isAddOf(one, list))

function listOfFid(
  hub: FakeHub,
  request: FidRequest,
  filter: (one: Stored) => boolean,
  shardOf: ShardOf = homeOf,
): MessagesInit {
  const fid = Number(request.fid)
  if (hub.faults.emptyLists.has(fid)) return { messages: [] }
  const its = shardOf(hub, fid).ofFid(fid).filter(filter)
  return messagesOf(hub, pageOf(its, messageKey, request))
}

const messagesOf = (hub: FakeHub, { items, nextPageToken }: Page<Stored>): MessagesInit => ({
  messages: items.map((one) => hub.served(one)),
  ...(nextPageToken && { nextPageToken }),
})

const listOfAll =
  <R extends PageRequest>(filterOf: (request: R) => (one: Stored) => boolean) =>
  (hub: FakeHub, request: R): MessagesInit => {
    const filter = filterOf(request)
    const page = joinedPage(hub.shardsInOrder, request, (shard, one) =>
      pageOf([...shard.messages.values()].filter(filter), messageKey, one),
    )
    return messagesOf(hub, page)
  }

/** Adds that point at the same thing as this one, which has no author. */
const pointsAt = (type: MessageType, body: SignedMessage['data']['body']) => {
  const target = targetOf({ data: { type, body } } as SignedMessage)
  return (one: Stored): boolean => {
    const own = one.data.type === type && targetOf({ data: one.data } as SignedMessage)
    return own !== false && own !== undefined && hexOf(own) === hexOf(target!)
  }
}

const reactionsTo = ({
  target,
  reactionType = 1,
}: {
  target: { case: 'targetCastId' | 'targetUrl' | undefined; value?: unknown }
  reactionType?: number
} & PageRequest) =>
  pointsAt(MessageType.REACTION_ADD, {
    case: 'reactionBody',
    value: { type: reactionType, target },
  } as SignedMessage['data']['body'])

const reactionList = listOfAll(reactionsTo)

export const CALLS: Handlers = {
  getAllCastMessagesByFid: allOf('casts'),
  getAllReactionMessagesByFid: allOf('reactions'),
  getAllLinkMessagesByFid: allOf('links'),
  getAllVerificationMessagesByFid: allOf('verifications'),
  getAllUserDataMessagesByFid: allOf('userData'),
  // The only list that is one of shard 0.
  getAllLendStorageMessagesByFid: allOf('lends', (hub) => hub.shardZero),
  getLinkCompactStateMessageByFid: allOf('compactStates'),
  getCastsByFid: addsOf('casts'),
  getReactionsByFid: addsOf('reactions'),
  getLinksByFid: addsOf('links'),
  getVerificationsByFid: addsOf('verifications'),
  getUserDataByFid: addsOf('userData'),

  getCastsByMention: listOfAll(
    ({ fid }: FidRequest) =>
      (one: Stored) =>
        mentions(one, Number(fid)),
  ),
  getCastsByParent: listOfAll(({ parent }) =>
    pointsAt(MessageType.CAST_ADD, {
      case: 'castAddBody',
      value: { parent },
    } as SignedMessage['data']['body']),
  ),
  getLinksByTarget: listOfAll(({ target, linkType }) =>
    pointsAt(MessageType.LINK_ADD, {
      case: 'linkBody',
      value: { type: linkType, target },
    } as SignedMessage['data']['body']),
  ),
  getReactionsByCast: reactionList,
  // The only list of all shards whose last page has no token.
  getReactionsByTarget(hub, request) {
    const { nextPageToken, ...page } = reactionList(hub, request)
    return nextPageToken && !isLastToken(nextPageToken) ? { ...page, nextPageToken } : page
  },

  getCast(hub, { fid, hash }) {
    const stored = hub.shardOf(Number(fid)).messages.get(hexOf(hash))
    if (!stored || !isAddOf(stored, 'casts')) throw new CallError(NOT_FOUND, 'cast not found')
    return hub.served(stored)
  },

  getFids(hub, request) {
    const shard = hub.shardAt(hub.isHubble ? 1 : request.shardId)
    // An empty token is a position in this list, before which nothing of it is.
    if (request.pageToken?.length === 0) return { fids: [] }
    const registered = shard.chainEvents.filter(
      ({ type }) => type === OnChainEventType.EVENT_TYPE_ID_REGISTER,
    )
    const page = pageOf(registered, chainEventKey, request)
    const fids = page.items.filter(isRegistration).map(({ fid }) => fid)
    return { fids, ...(page.nextPageToken && { nextPageToken: page.nextPageToken }) }
  },

  getOnChainEvents: (hub, { fid, eventType }) => ({
    events: hub.shardsInOrder.flatMap((shard) =>
      shard.chainEvents.filter((event) => event.fid === fid && event.type === eventType),
    ),
  }),
  getOnChainSignersByFid: (hub, { fid }) => ({ events: activeKeys(hub, Number(fid)) }),
  getIdRegistryOnChainEvent(hub, { fid }) {
    const last = hub
      .shardOf(Number(fid))
      .chainEvents.findLast(
        (event) => event.fid === fid && event.type === OnChainEventType.EVENT_TYPE_ID_REGISTER,
      )
    if (!last) throw new CallError(NOT_FOUND, 'no such fid')
    return last
  },
  getSignersByFid: (hub, { fid }) => signersOf(hub, Number(fid)),
  getUserNameProofsByFid: (hub, { fid }) => ({ proofs: proofsOf(hub, Number(fid)) }),
  getUsernameProof(hub, { name }) {
    const text = Buffer.from(name).toString()
    const proof = hub.shardsInOrder.map((shard) => shard.names.get(text)).find(Boolean)
    if (!proof) throw new CallError(NOT_FOUND, 'Username proof not found')
    return proof
  },
  getCurrentStorageLimitsByFid: (hub, { fid }) => storageLimits(hub, Number(fid)),

  getInfo: (hub) => hub.info(),

  getEvent(hub, { id, shardIndex }) {
    const event = hub.shardAt(shardIndex).events.find((one) => one.id === id)
    if (!event) throw new CallError(INTERNAL, 'not_found/Event not found')
    return hub.servedEvent(event)
  },
  getEvents(hub, request) {
    const { startId, stopId = 2n ** 63n, shardIndex } = request
    const shards = shardIndex === undefined ? hub.shardsInOrder : [hub.eventShard(shardIndex)]
    const page = joinedPage(
      shards,
      { pageSize: EVENTS_PER_PAGE, ...pageFields(request) },
      (shard, one) =>
        pageOf(
          shard.events.filter(({ id }) => id >= startId && id < stopId),
          ({ id }) => `09${id.toString(16).padStart(16, '0')}`,
          one,
        ),
    )
    const nextPageToken = page.nextPageToken ?? new Uint8Array(0)
    return { events: page.items.map((event) => hub.servedEvent(event)), nextPageToken }
  },
  getTrieMetadataByPrefix(hub, { shardId, prefix }) {
    const node = hub.shardAt(shardId).trieNode(prefix)
    if (!node) throw new CallError(INTERNAL, 'Node not found for the given prefix')
    const { items, hash, children } = node
    return {
      prefix,
      numMessages: BigInt(items),
      hash,
      // In the order of a hash map.
      children: children
        .map((child) => ({ ...child, numMessages: BigInt(child.items) }))
        .toSorted((a, b) => (a.hash < b.hash ? -1 : 1)),
    }
  },

  submitMessage(hub, message, metadata) {
    checkUser(hub, metadata)
    const code = hub.take(message)
    if (code) throw submitError(code, hub.isHubble ? 'errCode' : 'x-err-code')
    return message
  },
  submitBulkMessages(hub, { messages }, metadata) {
    checkUser(hub, metadata)
    return {
      messages: messages.map((message) => {
        const errCode = hub.take(message)
        return errCode
          ? {
              response: {
                case: 'messageError' as const,
                value: { hash: message.hash, errCode, message: errCode },
              },
            }
          : { response: { case: 'message' as const, value: message } }
      }),
    }
  },
}

/** Hubble has neither shards nor gasless keys, nor lent storage, and no list of its events. */
const NOT_OF_HUBBLE: readonly Method[] = [
  'getEvents',
  'getSignersByFid',
  'getAllLendStorageMessagesByFid',
  'getTrieMetadataByPrefix',
]

export const isOfHubble = (method: Method): boolean => !NOT_OF_HUBBLE.includes(method)

const pageFields = ({ pageSize, pageToken, reverse }: PageRequest): PageRequest => ({
  ...(pageSize !== undefined && { pageSize }),
  ...(pageToken && { pageToken }),
  ...(reverse && { reverse }),
})

const isRegistration = ({ body }: OnChainEvent): boolean =>
  body.case === 'idRegisterEventBody' && body.value.eventType === IdRegisterEventType.REGISTER

const chainEventKey = (event: OnChainEvent): string =>
  [event.fid, event.blockNumber, event.logIndex]
    .map((part) => part.toString(16).padStart(8, '0'))
    .join('') + hexOf(event.transactionHash)

function activeKeys(hub: FakeHub, fid: number): OnChainEvent[] {
  const active = new Map<string, OnChainEvent>()
  for (const event of hub.shardOf(fid).chainEvents) {
    if (Number(event.fid) !== fid || event.body.case !== 'signerEventBody') continue
    const { key, eventType } = event.body.value
    if (eventType === SignerEventType.ADD) active.set(hexOf(key), event)
    else active.delete(hexOf(key))
  }
  return [...active.values()]
}

function signersOf(hub: FakeHub, fid: number) {
  const onChain = activeKeys(hub, fid).flatMap((event) =>
    event.body.case === 'signerEventBody'
      ? [
          {
            source: SignerSource.ONCHAIN,
            key: event.body.value.key,
            keyType: event.body.value.keyType,
            fid: BigInt(fid),
            addedAt: event.blockTimestamp,
            onchainEvent: event,
          },
        ]
      : [],
  )
  const gasless = hub
    .shardOf(fid)
    .ofFid(fid)
    .flatMap(({ data }) =>
      data.body.case === 'keyAddBody'
        ? [
            {
              source: SignerSource.OFFCHAIN,
              key: data.body.value.key,
              keyType: data.body.value.keyType,
              fid: BigInt(fid),
              addedAt: BigInt(unixMsOf(data.timestamp) / 1000),
              ttl: data.body.value.ttl,
              scopes: data.body.value.scopes,
              nonce: data.body.value.nonce,
            },
          ]
        : [],
    )
  return {
    signers: [...onChain, ...gasless],
    gaslessSignerCount: gasless.length,
    gaslessSignerLimit: GASLESS_KEYS,
    currentUserNonce: gasless.length,
  }
}

/** Proofs of names of Ethereum without their messages, and those of the name registry. */
function proofsOf(hub: FakeHub, fid: number): UserNameProof[] {
  const signed = hub
    .shardOf(fid)
    .ofFid(fid)
    .flatMap(({ data }) => (data.body.case === 'usernameProofBody' ? [data.body.value] : []))
  const registered = hub.shardsInOrder.flatMap((shard) =>
    [...shard.names.values()].filter((proof) => isFname(proof) && Number(proof.fid) === fid),
  )
  return [...signed, ...registered]
}

const STORES: readonly (readonly [StoreType, ListName, string])[] = [
  [StoreType.CASTS, 'casts', 'CASTS'],
  [StoreType.LINKS, 'links', 'LINKS'],
  [StoreType.REACTIONS, 'reactions', 'REACTIONS'],
  [StoreType.USER_DATA, 'userData', 'USER_DATA'],
  [StoreType.VERIFICATIONS, 'verifications', 'VERIFICATIONS'],
  [StoreType.USERNAME_PROOFS, 'usernameProofs', 'USERNAME_PROOFS'],
  [StoreType.STORAGE_LENDS, 'lends', 'STORAGE_LENDS'],
]

/** A number of its own, so that a mirror that shows its source's limits can be told from one that counts. */
const MESSAGES_PER_UNIT = 1_234

function storageLimits(hub: FakeHub, fid: number) {
  const shard = hub.shardOf(fid)
  const units = shard.chainEvents
    .filter((event) => Number(event.fid) === fid)
    .reduce(
      (sum, { body }) => sum + (body.case === 'storageRentEventBody' ? body.value.units : 0),
      0,
    )
  const limits = STORES.map(([storeType, list, name]) => ({
    storeType,
    name,
    limit: BigInt(units * MESSAGES_PER_UNIT),
    used: BigInt(usedOf(hub, fid, list)),
  }))
  return {
    limits,
    units,
    unitDetails: [{ unitType: 2, unitSize: units, purchasedUnitSize: units }],
  }
}

/** Hubble counts the first message of a set twice. */
function usedOf(hub: FakeHub, fid: number, list: ListName): number {
  const count = (types: readonly MessageType[]) =>
    types.reduce((sum, type) => sum + countOf(hub.shardOf(fid), fid, type), 0)
  if (!hub.isHubble) return count(countedTypes(list))
  const used = count(TYPES[list])
  return used > 0 ? used + 1 : 0
}

/** Compact states count as links here, although the list of links does not have them. */
const countedTypes = (list: ListName): readonly MessageType[] =>
  list === 'links' ? [...TYPES.links, ...TYPES.compactStates] : TYPES[list]

const countOf = (shard: FakeShard, fid: number, type: MessageType): number =>
  shard.trieNode(Buffer.from(typePrefix(fid, type), 'hex'))?.items ?? 0

/** Only submits ask for a name and a password. */
function checkUser(hub: FakeHub, metadata: grpc.Metadata): void {
  if (!hub.user) return
  const expected = `Basic ${Buffer.from(hub.user).toString('base64')}`
  if (metadata.get('authorization')[0] !== expected) {
    throw new CallError(UNAUTHENTICATED, 'missing or wrong credentials')
  }
}

const submitError = (code: string, field: 'x-err-code' | 'errCode'): CallError =>
  new CallError(code.startsWith('unavailable') ? grpc.status.UNAVAILABLE : INVALID_ARGUMENT, code, {
    [field]: code,
  })

/** Why a message is refused before it waits for a block. */
export function refusalOf(hub: FakeHub, message: Stored['message']): string | undefined {
  if (!message.dataBytes?.length) return 'bad_request.validation_failure'
  const { fid, hash } = storedOf(message)
  return [hub.shardZero, hub.shardOf(fid)].some(({ messages }) => messages.has(hash))
    ? 'bad_request.duplicate'
    : undefined
}
