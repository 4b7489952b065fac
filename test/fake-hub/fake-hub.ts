// A hub that speaks as Snapchain or Hubble does, from a script, over messages in memory: its lists, tokens, events, trie and
// submits, with the gaps that the deployed programs have. It checks nothing, so that a test can make it lie.

import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import * as grpc from '@grpc/grpc-js'
import { encodeEnvelope } from '../../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../../src/kernel/protocol/message.ts'
import { NETWORK_EPOCH_MS, networkTime } from '../../src/kernel/protocol/time.ts'
import type { HubEvent } from '../../src/kernel/protocol/wire/hub_event_pb.js'
import type { UserNameProof } from '../../src/kernel/protocol/wire/message_pb.js'
import { type Message, MessageSchema } from '../../src/kernel/protocol/wire/message_pb.js'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventType,
} from '../../src/kernel/protocol/wire/onchain_event_pb.js'
import {
  type HubInfoResponseSchema,
  HubService,
  type SubscribeRequest,
} from '../../src/kernel/protocol/wire/rpc_pb.js'
import { accountEvents, type TestAccount, testAccount } from '../world.ts'
import { CallError } from './call-error.ts'
import { CALLS, isOfHubble, type Method, refusalOf } from './calls.ts'
import { Faults, type Lie, type LostPart } from './faults.ts'
import { Front } from './front.ts'
import { isOf, type ListName, TYPES } from './lists.ts'
import { type Change, FakeShard, hexOf, type Stored, storedOf } from './shard.ts'
import { isVerification, ShardZero } from './shard-zero.ts'
import { FakeStream } from './streams.ts'
import { bucketOf } from './trie.ts'

export type FakeHubOptions = {
  /** What it speaks as; Snapchain by default. */
  readonly kind?: 'snapchain' | 'hubble'
  /** Shards with messages; 2 by default, as on mainnet. */
  readonly shards?: number
  readonly version?: string
  /** Unix milliseconds; blocks have its time. */
  readonly now?: () => number
  /** `name:password` that submits need. */
  readonly user?: string
  /** Metadata that every call needs, such as `{ 'x-api-key': 'secret' }`. */
  readonly key?: Readonly<Record<string, string>>
  /** Verifications are merged on every shard, as from engine version 21 on. */
  readonly verificationsOnAllShards?: boolean
}

/** A call as it was received. */
export type ReceivedCall = {
  readonly method: string
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  readonly metadata: Readonly<Record<string, string>>
}

const MAX_RECEIVED = 100_000
export async function startFakeHub(options: FakeHubOptions = {}): Promise<FakeHub> {
  const hub = new FakeHub(options)
  await hub.listen()
  return hub
}

export class FakeHub {
  readonly faults = new Faults()
  readonly user: string | undefined
  /** `host:port`. */
  address = ''
  /** The calls so far, streams included. */
  readonly received: ReceivedCall[] = []
  readonly #options: FakeHubOptions
  readonly #shards: readonly FakeShard[]
  readonly #zero: ShardZero
  readonly #seeds = new Map<number, Uint8Array>()
  readonly #streams = new Set<FakeStream>()
  /** Changes that wait for the next block of each shard. */
  readonly #pending = new Map<FakeShard, Change[]>()
  /** What other shards than the author's repeat in the block after that. */
  #repeated: (readonly [FakeShard, Change])[] = []
  readonly #front: Front
  #node = randomBytes(16).toString('hex')
  #version: string
  #nextVersionAt = 0
  #blocks: NodeJS.Timeout | undefined

  constructor(options: FakeHubOptions) {
    this.#options = options
    this.user = options.user
    this.#version = options.version ?? (this.isHubble ? '1.19.3' : '0.14.2')
    const hubbleNow = this.isHubble ? () => this.#now() - NETWORK_EPOCH_MS : undefined
    this.#shards = Array.from(
      { length: this.isHubble ? 1 : (options.shards ?? 2) },
      (_, i) => new FakeShard(i + 1, (shard, block) => this.#blockHash(shard, block), hubbleNow),
    )
    this.#zero = new ShardZero(options.verificationsOnAllShards === true)
    this.#front = new Front(this.#server(), () => this.faults.proxyRefusal)
  }

  get isHubble(): boolean {
    return this.#options.kind === 'hubble'
  }

  async listen(): Promise<void> {
    this.address = `127.0.0.1:${await this.#front.listen()}`
  }

  async close(): Promise<void> {
    clearInterval(this.#blocks)
    await this.#front.close()
  }

  // What it contains

  /** Adds the account that `testAccount(fid)` describes, and remembers its key for lies. */
  account(fid: number, { units = 10 } = {}): TestAccount {
    const account = testAccount(fid)
    this.#seeds.set(fid, account.seed)
    this.chainEvents(...accountEvents(account, Math.floor(this.#now() / 1000), units))
    return account
  }

  /** Makes a block of each shard that these messages belong to. */
  merge(...messages: readonly SignedMessage[]): void {
    this.queueMerge(...messages)
    this.commit()
  }

  /** Merges with the next block. */
  queueMerge(...messages: readonly SignedMessage[]): void {
    for (const message of messages) {
      this.#queueMessage(storedOf(fromBinary(MessageSchema, encodeEnvelope(message))))
    }
  }

  prune(...hashes: readonly Uint8Array[]): void {
    this.#queueRemovals('prune', hashes)
    this.commit()
  }

  revoke(...hashes: readonly Uint8Array[]): void {
    this.#queueRemovals('revoke', hashes)
    this.commit()
  }

  /** An event that says that a message was not merged. It changes nothing. */
  failMerge(message: SignedMessage, code = 'bad_request.conflict', reason = 'conflict'): void {
    const stored = storedOf(fromBinary(MessageSchema, encodeEnvelope(message)))
    this.#queue(this.shardOf(stored.fid), { kind: 'fail', stored, code, reason })
    this.commit()
  }

  chainEvents(...events: readonly OnChainEvent[]): void {
    for (const event of events) {
      this.#queue(this.shardOf(Number(event.fid)), { kind: 'chain', event })
    }
    this.commit()
  }

  /** A transfer of the name registry: fid 0 deletes the name. Every shard has all names. */
  name(proof: UserNameProof): void {
    for (const shard of this.#shards) this.#queue(shard, { kind: 'name', proof })
    this.commit()
  }

  /** One block of each shard that has changes. */
  commit(): void {
    this.#decide()
    const pending = [...this.#pending]
    this.#pending.clear()
    for (const [shard, changes] of pending) this.#block(shard, changes)
    this.#repeat()
  }

  /** A block of every shard, changes or not. */
  commitAll(): void {
    this.#decide()
    for (const shard of this.#shards) {
      const changes = this.#pending.get(shard) ?? []
      this.#pending.delete(shard)
      this.#block(shard, changes)
    }
    this.#repeat()
  }

  /** Makes blocks of all shards from now on, as the network does each second. */
  startBlocks(everyMs = 1_000): void {
    clearInterval(this.#blocks)
    this.#blocks = setInterval(() => this.commitAll(), everyMs)
  }

  stopBlocks(): void {
    clearInterval(this.#blocks)
  }

  // What a test compares with

  /** Hashes of what is stored of a fid, sorted, by list. */
  hashes(fid: number): Record<ListName, string[]> {
    const its = this.shardOf(fid).ofFid(fid)
    const lists = Object.keys(TYPES) as ListName[]
    return Object.fromEntries(
      lists.map((list) => [
        list,
        its
          .filter((one) => isOf(one, list))
          .map(({ hash }) => hash)
          .sort(),
      ]),
    ) as Record<ListName, string[]>
  }

  get fids(): number[] {
    const events = this.#shards.flatMap(({ chainEvents }) => chainEvents)
    return [...new Set(events.map(({ fid }) => Number(fid)))].sort((a, b) => a - b)
  }

  get openStreams(): number {
    return this.#streams.size
  }

  // Faults

  /** Cuts all connections. */
  reset(): void {
    this.#front.cut()
  }

  /** Streams send each event so often. */
  duplicate(copies = 2): void {
    this.faults.copies = copies
  }

  /** Streams send the events of so many blocks together, the last first. */
  reorder(blocks = 1): void {
    this.faults.reorderedBlocks = blocks
  }

  /** Streams leave out the events of a block, or a part of them; GetEvents has them. */
  gap(block: number, { shard = 1, part = 'all' }: { shard?: number; part?: LostPart } = {}): void {
    this.faults.lostBlocks.set(`${shard}:${block}`, part)
  }

  /** Each open stream loses its next events. */
  lag(events: number): void {
    for (const stream of this.#streams) stream.lag += events
  }

  /** The next stream that begins with a replay misses so many blocks of each shard after it. */
  joinGap(blocks = 1): void {
    this.faults.missedWhenJoining = blocks
  }

  /** Serves a message otherwise than it is, in lists and events. */
  lie(lie: Lie, hash: Uint8Array): void
  /** Answers the lists of a fid with nothing, without an error. */
  lie(lie: 'empty list', fid: number): void
  lie(lie: Lie | 'empty list', about: Uint8Array | number): void {
    if (typeof about === 'number') this.faults.emptyLists.add(about)
    else this.faults.lies.set(hexOf(about), lie as Lie)
  }

  /** Every answer is late. */
  slow(delayMs: number): void {
    this.faults.delayMs = delayMs
  }

  /** Holds the answers of a method back until the function is called that it returns. */
  hold(method: Method): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.faults.held.set(method, promise)
    return () => {
      this.faults.held.delete(method)
      resolve()
    }
  }

  /** Answers and events are late by different times: one of them tells old news. */
  skew({ answersMs = 0, eventsMs = 0 }: { answersMs?: number; eventsMs?: number }): void {
    this.faults.lateAnswersMs = answersMs
    this.faults.lateEventsMs = eventsMs
  }

  /** Streams stay open and lose what happens and what was stored when they begin, or calls are never answered. */
  silent(what: 'streams' | 'calls' = 'streams'): void {
    if (what === 'streams') this.faults.areStreamsSilent = true
    else this.faults.areCallsSilent = true
  }

  /** The other shards do not repeat what shard 0 decides until `heal`, as on a node that is too slow. */
  leaveShardZeroAlone(): void {
    this.faults.isShardZeroAlone = true
  }

  /** Deletes the events of blocks before this one. */
  pruneLog(untilBlock: number): void {
    for (const shard of this.#shards) shard.pruneLog(untilBlock)
  }

  /** Refuses the next calls: with HTTP 429, as a proxy does, or with a status of gRPC. */
  limit({
    status,
    retryAfterSeconds,
    calls = 1,
    method,
    details,
  }: {
    status?: number
    retryAfterSeconds?: number
    calls?: number
    method?: string
    details?: string
  } = {}): void {
    this.faults.refusals.push({
      ...(status !== undefined && { status }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(method !== undefined && { method }),
      ...(details !== undefined && { details }),
      left: calls,
    })
    if (status === undefined) this.#front.cut()
  }

  /** Methods that this version does not have. */
  unimplemented(...methods: readonly string[]): void {
    for (const method of methods) this.faults.unimplemented.add(method)
  }

  /** Another node with the same messages behind the same address: other blocks, and another order of shards. */
  otherNode(): void {
    this.#node = randomBytes(16).toString('hex')
    this.#front.cut()
  }

  /** Another version, and when the next rules begin (network seconds). */
  version(version: string, nextVersionAt = 0): void {
    this.#version = version
    this.#nextVersionAt = nextVersionAt
  }

  /** Accepts the next submits and never puts them into a block. */
  loseSubmits(count = 1): void {
    this.faults.lostSubmits = count
  }

  /** Accepts the next submits, and the answers do not arrive. */
  leaveSubmitsUnanswered(count = 1): void {
    this.faults.unansweredSubmits = count
  }

  /** Refuses all submits with this code. */
  refuseSubmits(code: string): void {
    this.faults.submitRefusal = code
  }

  /** Ends all faults. What was lost stays lost. */
  heal(): void {
    Object.assign(this.faults, new Faults())
    for (const stream of this.#streams) stream.lag = 0
  }

  // What its calls need

  /** The order of shards in answers is that of one process. */
  get shardsInOrder(): readonly FakeShard[] {
    return this.#shards.toSorted((a, b) =>
      this.#nodeHash(`${a.index}`) < this.#nodeHash(`${b.index}`) ? -1 : 1,
    )
  }

  shardOf(fid: number): FakeShard {
    return this.#shards[bucketOf(fid, this.#shards.length)]!
  }

  /** Has what it decided before the shard of the author has it. */
  get shardZero(): FakeShard {
    return this.#zero.shard
  }

  shardAt(index: number): FakeShard {
    const shard = this.#shards[index - 1]
    if (shard) return shard
    throw new CallError(grpc.status.INVALID_ARGUMENT, 'no shard store for fid')
  }

  eventShard(index: number): FakeShard {
    const shard = this.#shards[index - 1]
    if (shard) return shard
    throw new CallError(grpc.status.INVALID_ARGUMENT, 'Shard not found')
  }

  served(stored: Stored): Message {
    return this.faults.served(stored, this.#seeds.get(stored.fid))
  }

  servedEvent(event: HubEvent): HubEvent {
    const { body } = event
    if (this.faults.lies.size === 0 || body.case !== 'mergeMessageBody' || !body.value.message) {
      return event
    }
    const message = this.served(storedOf(body.value.message))
    return { ...event, body: { ...body, value: { ...body.value, message } } }
  }

  /** Takes a submit for the next block; the code when it is refused. */
  take(message: Message): string | undefined {
    const { faults } = this
    const code = faults.submitRefusal ?? refusalOf(this, message)
    if (code) return code
    if (faults.lostSubmits > 0) faults.lostSubmits--
    else this.#queueMessage(storedOf(message))
    return undefined
  }

  info(): MessageInitShape<typeof HubInfoResponseSchema> {
    return this.isHubble ? this.#hubbleInfo() : this.#snapchainInfo()
  }

  #hubbleInfo(): MessageInitShape<typeof HubInfoResponseSchema> {
    // Transfers count.
    const events = this.#shards.flatMap(({ chainEvents }) => chainEvents)
    const ofFids = events.filter(({ type }) => type === OnChainEventType.EVENT_TYPE_ID_REGISTER)
    const numFidEvents = BigInt(ofFids.length)
    return {
      version: this.#version,
      nickname: 'Farcaster Hub',
      peerId: this.#node,
      dbStats: { numFidEvents },
    }
  }

  #snapchainInfo(): MessageInitShape<typeof HubInfoResponseSchema> {
    const now = networkTime(this.#now())
    const shards = this.shardsInOrder.map((shard) => ({
      shardId: shard.index,
      maxHeight: BigInt(shard.height),
      numMessages: BigInt(shard.trieItems),
      numFidRegistrations: BigInt(registrations(shard)),
      blockDelay: BigInt(Math.max(0, now - shard.timestamp)),
    }))
    const height = Math.max(0, ...this.#shards.map((shard) => shard.height))
    return {
      version: this.#version,
      peerId: this.#node,
      numShards: shards.length,
      shardInfos: [{ shardId: 0, maxHeight: BigInt(height) }, ...shards],
      dbStats: { numMessages: shards.reduce((sum, { numMessages }) => sum + numMessages, 0n) },
      nextEngineVersionTimestamp: BigInt(this.#nextVersionAt),
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }

  #nodeHash(text: string): string {
    return createHash('sha256').update(this.#node).update(text).digest('hex')
  }

  #blockHash(shard: number, block: number): Uint8Array {
    return Buffer.from(this.#nodeHash(`${shard}:${block}`), 'hex').subarray(0, 20)
  }

  #queue(shard: FakeShard, change: Change): void {
    this.#pending.set(shard, [...(this.#pending.get(shard) ?? []), change])
  }

  #queueMessage(stored: Stored): void {
    if (this.#zero.decides(stored)) this.#zero.take(stored)
    else this.#queue(this.shardOf(stored.fid), { kind: 'merge', stored })
  }

  /** A block of shard 0. The shard of the author repeats it in its next block, the others in the one after that. */
  #decide(): void {
    this.#zero.commit(networkTime(this.#now()))
    if (this.faults.isShardZeroAlone) return
    for (const { stored, where } of this.#zero.takeMerged()) {
      const home = this.shardOf(stored.fid)
      this.#queue(home, { kind: 'merge', stored })
      for (const shard of where === 'home' ? [] : this.#shards) {
        if (shard === home) continue
        this.#repeated.push([shard, { kind: 'merge', stored }])
        // Where the author has no storage, verifications are pruned at once.
        if (isVerification(stored)) this.#repeated.push([shard, { kind: 'prune', stored }])
      }
    }
  }

  #repeat(): void {
    for (const [shard, change] of this.#repeated) this.#queue(shard, change)
    this.#repeated = []
  }

  #queueRemovals(kind: 'prune' | 'revoke', hashes: readonly Uint8Array[]): void {
    for (const hash of hashes) {
      for (const shard of this.#shards) {
        const stored = shard.messages.get(hexOf(hash))
        if (stored) this.#queue(shard, { kind, stored })
      }
    }
  }

  #block(shard: FakeShard, changes: readonly Change[]): void {
    const events = shard.commit(changes, networkTime(this.#now()))
    for (const stream of this.#streams) stream.onBlock(shard, events)
  }

  // The server

  #server(): grpc.Server {
    const server = new grpc.Server({ 'grpc.max_receive_message_length': -1 })
    const definition: Record<string, grpc.MethodDefinition<unknown, unknown>> = {}
    const handlers: grpc.UntypedServiceImplementation = {}
    for (const [name, method] of Object.entries(HubService.method)) {
      if (method.methodKind === 'bidi_streaming') continue
      definition[name] = {
        path: `/${HubService.typeName}/${method.name}`,
        requestStream: false,
        responseStream: method.methodKind === 'server_streaming',
        requestSerialize: () => Buffer.alloc(0),
        requestDeserialize: (bytes) => fromBinary(method.input, bytes),
        responseSerialize: (value) =>
          Buffer.from(toBinary(method.output, create(method.output, value as object))),
        responseDeserialize: (bytes) => fromBinary(method.output, bytes),
      }
      handlers[name] =
        name === 'subscribe'
          ? (call: grpc.ServerWritableStream<SubscribeRequest, HubEvent>) => this.#subscribe(call)
          : this.#unary(name as Method)
    }
    server.addService(definition as grpc.ServiceDefinition, handlers)
    return server
  }

  #unary(name: Method): grpc.UntypedHandleCall {
    return async (
      call: grpc.ServerUnaryCall<unknown, unknown>,
      callback: grpc.sendUnaryData<unknown>,
    ) => {
      try {
        this.#begin(name, call.metadata)
        const handler = CALLS[name] as
          | ((hub: FakeHub, request: unknown, metadata: grpc.Metadata) => object)
          | undefined
        if (
          !handler ||
          this.faults.unimplemented.has(name) ||
          (this.isHubble && !isOfHubble(name))
        ) {
          throw new CallError(grpc.status.UNIMPLEMENTED, `${name} is not implemented`)
        }
        const answer = handler(this, call.request, call.metadata)
        const { delayMs, lateAnswersMs } = this.faults
        if (delayMs + lateAnswersMs > 0) await sleep(delayMs + lateAnswersMs)
        await this.faults.held.get(name)
        if (this.faults.areCallsSilent || this.#loseAnswer(name)) return
        callback(null, answer)
      } catch (error) {
        callback(error as CallError)
      }
    }
  }

  #loseAnswer(name: Method): boolean {
    if (!name.startsWith('submit') || this.faults.unansweredSubmits === 0) return false
    this.faults.unansweredSubmits--
    return true
  }

  #subscribe(call: grpc.ServerWritableStream<SubscribeRequest, HubEvent>): void {
    call.on('error', () => {})
    try {
      this.#begin('subscribe', call.metadata)
      const { shardIndex } = call.request
      const shards =
        shardIndex === undefined ? this.shardsInOrder : [this.eventShard(Number(shardIndex))]
      const stream = new FakeStream(call, shards, this)
      this.#streams.add(stream)
      const forget = () => this.#streams.delete(stream)
      call.on('cancelled', forget).on('close', forget)
    } catch (error) {
      call.emit('error', error)
    }
  }

  /** Counts a call, and refuses it when a fault or its metadata say so. */
  #begin(method: string, metadata: grpc.Metadata): void {
    const fields = Object.entries(metadata.getMap()).map(([name, value]) => [name, `${value}`])
    this.received.push({ method, at: performance.now(), metadata: Object.fromEntries(fields) })
    if (this.received.length > MAX_RECEIVED) this.received.shift()
    for (const [name, value] of Object.entries(this.#options.key ?? {})) {
      if (metadata.get(name)[0] === value) continue
      throw new CallError(grpc.status.UNAUTHENTICATED, `${name} is missing or wrong`)
    }
    const refusal = this.faults.takeRefusal(method)
    if (!refusal) return
    const { status, details = 'refused by the script', retryAfterSeconds } = refusal
    throw new CallError(status!, details, {
      ...(retryAfterSeconds !== undefined && { 'retry-after': `${retryAfterSeconds}` }),
    })
  }
}

const registrations = ({ chainEvents }: FakeShard): number =>
  new Set(
    chainEvents
      .filter(
        ({ type, body }) =>
          type === OnChainEventType.EVENT_TYPE_ID_REGISTER &&
          body.case === 'idRegisterEventBody' &&
          body.value.eventType === IdRegisterEventType.REGISTER,
      )
      .map(({ fid }) => fid),
  ).size
