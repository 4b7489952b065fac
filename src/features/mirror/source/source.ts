import { setTimeout as delay } from 'node:timers/promises'
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { type Backoff, backoffMs } from '../../../kernel/base/backoff.ts'
import { isCircle, PATH_HEADER, pathOf, pathThrough } from '../../../kernel/grpc/server-path.ts'
import { FieldScan, fieldBytes } from '../../../kernel/protocol/codec/wire-scan.ts'
import { MESSAGE_SETS } from '../../../kernel/protocol/slots.ts'
import type { UserNameProof } from '../../../kernel/protocol/wire/message_pb.js'
import { CastIdSchema, UserNameProofSchema } from '../../../kernel/protocol/wire/message_pb.js'
import type {
  OnChainEvent,
  OnChainEventType,
} from '../../../kernel/protocol/wire/onchain_event_pb.js'
import {
  CastsByParentRequestSchema,
  EventsRequestSchema,
  FidRequestSchema,
  FidsRequestSchema,
  FidsResponseSchema,
  FidTimestampRequestSchema,
  HubInfoRequestSchema,
  type HubInfoResponse,
  HubInfoResponseSchema,
  LinksByTargetRequestSchema,
  OnChainEventRequestSchema,
  OnChainEventResponseSchema,
  SignerSource,
  SignersByFidRequestSchema,
  SignersByFidResponseSchema,
  StorageLimitsResponseSchema,
  SubscribeRequestSchema,
  TrieNodeMetadataRequestSchema,
  TrieNodeMetadataResponseSchema,
  UsernameProofRequestSchema,
  UsernameProofsResponseSchema,
} from '../../../kernel/protocol/wire/rpc_pb.js'
import type { SourceAddress } from '../settings.ts'
import {
  GrpcClient,
  GrpcError,
  type MessageStream,
  STATUS,
  type StreamHandlers,
} from './grpc-client.ts'
import { RequestLimiter, type RequestLimits } from './request-limiter.ts'

// What sources of all kinds do, in one place: docs/mirror-sources.md says how each fact is known.

export type SourceKind = 'snapchain' | 'hubble' | 'rookery'

export type SourceInfo = {
  readonly kind: SourceKind
  readonly version: string
  /** The shards to follow: of Snapchain 1 and up with their heights, else one that stands for all. */
  readonly shards: readonly { readonly shard: number; readonly height: number }[]
  /** Fids, as far as the source says; of Hubble with their transfers, which it counts as well. */
  readonly registered: number
  /** Of a Rookery: the ids of the servers through which its data come, its own first. */
  readonly path: string
}

/** Events that matter. An empty list would mean none on Snapchain, and all on others. */
export const EVENT_TYPES = [1, 2, 3, 6, 9, 10, 11, 12]
/** The ids of a block of Snapchain: its number times this, and a sequence. */
export const IDS_PER_BLOCK = 16_384

const CALL_TIMEOUT_MS = 10_000
const PAGE_TIMEOUT_MS = 60_000
const SUBMIT_TIMEOUT_MS = 5_000
const MAX_ATTEMPTS = 6
/** After faults of the source. */
export const SOURCE_BACKOFF: Backoff = { firstMs: 500, maxMs: 60_000 }
const REFUSED_BACKOFF_MS = 5 * 60_000
/** Then the next address is asked. */
const FAULTS_TO_MOVE = 3
/** Then the first one is tried again. */
const RETURN_MS = 5 * 60_000
const PAGE_ITEMS = 1_000
const WIDE_PAGE_ITEMS = 2_000
/** Pages of so few fit, whatever is in them. */
const MIN_PAGE_ITEMS = 50
const LARGE_PAGE_BYTES = 2 * 1024 * 1024
/** A list that does not end by then has no end. */
const MAX_PAGES = 20_000

const RETRIED: ReadonlySet<number> = new Set([
  STATUS.unavailable,
  STATUS.deadlineExceeded,
  STATUS.resourceExhausted,
  STATUS.internal,
  STATUS.unknown,
  STATUS.cancelled,
])
const REFUSED: ReadonlySet<number> = new Set([STATUS.unauthenticated, STATUS.permissionDenied])

/** Snapchain says so of a prefix below which there is nothing, with the status of a fault. */
const NO_NODE = 'Node not found for the given prefix'
const isNoNode = (error: unknown): boolean =>
  error instanceof GrpcError && error.status === STATUS.internal && error.message === NO_NODE
const isRetried = (error: GrpcError): boolean => RETRIED.has(error.status) && !isNoNode(error)

/** By the number of a set: how many messages of it somebody has, and how many they may have. */
export type Usage = {
  readonly used: ReadonlyMap<number, number>
  /** Of all sets, as far as the source says: for an estimate. */
  readonly total: number
  readonly limits: readonly (readonly [set: number, limit: number])[]
}

/** A key, and the types of messages that it may sign. */
export type GaslessKey = { readonly key: Uint8Array; readonly scopes: readonly number[] }

export type TrieNode = { readonly items: number; readonly hash: string }

/** A source that does not let us in: nothing goes on until somebody changes the settings. */
export class SourceRefusedError extends Error {
  override readonly name = 'SourceRefusedError'
}

export type SourceOptions = RequestLimits & {
  readonly addresses: readonly SourceAddress[]
  readonly headers: Readonly<Record<string, string>>
  /** The id of this server, by which a source knows a call of its own. */
  readonly ownId?: string
  readonly ca?: string | undefined
  readonly onRequest?: (method: string, status: number) => void
  /** From 0 to 1, for the jitter of the backoff. */
  readonly random?: () => number
  /** Milliseconds until the first address is tried again; 5 minutes unless given. */
  readonly returnMs?: number
}

/** What a mirror asks of the hub that it follows: `Source` does over gRPC, and a source in memory in unit tests. */
export type SourcePort = Pick<Source, keyof Source>

/** The hub that is mirrored, whatever runs there. */
export class Source {
  readonly #options: SourceOptions
  readonly #limiter: RequestLimiter
  readonly #clients: readonly GrpcClient[]
  readonly #closed = new AbortController()
  #at = 0
  #movedAt = 0
  #faults = 0
  #pageItems = PAGE_ITEMS
  #kind: SourceKind | undefined

  constructor(options: SourceOptions) {
    this.#options = options
    this.#limiter = new RequestLimiter(options)
    const { ca, addresses, ownId } = options
    const headers = { ...options.headers, ...(ownId !== undefined && { [PATH_HEADER]: ownId }) }
    this.#clients = addresses.map((address) => new GrpcClient({ ...address, headers, ca }))
  }

  /** Which of the addresses is asked now. */
  get address(): number {
    return this.#at
  }

  /** Without keys. */
  get host(): string {
    const { host, port } = this.#options.addresses[this.#at]!
    return `${host}:${port}`
  }

  get throttledMs(): number {
    return this.#limiter.throttledMs
  }

  /** Throws a GrpcError, `bad_request.mirror_loop` when the source has its data from this server. */
  async info(): Promise<SourceInfo> {
    let path = ''
    const asked = { dbStats: true }
    const bytes = await this.#ask('GetInfo', HubInfoRequestSchema, asked, {
      onTrailers: (trailers) => {
        path = pathOf(trailers[PATH_HEADER]?.toString())
      },
    })
    if (isCircle(path, this.#options.ownId ?? '')) {
      const text = `${this.host} has its data from this server: they mirror each other, so point one of them at another hub`
      throw new GrpcError(STATUS.failedPrecondition, text, undefined, 'bad_request.mirror_loop')
    }
    const info = { ...infoOf(fromBinary(HubInfoResponseSchema, bytes)), path }
    this.#kind = info.kind
    return info
  }

  /** The messages of a list, page by page, as they are on the wire. */
  async *messages(method: ListMethod, fid: number): AsyncGenerator<readonly Uint8Array[]> {
    const schema = TIMED.has(method) ? FidTimestampRequestSchema : FidRequestSchema
    let token: Uint8Array | undefined
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const pageSize = this.#pageItems
      const request = { fid: BigInt(fid), pageSize, ...(token && { pageToken: token }) }
      const bytes = await this.#optional(method, schema, request, PAGE).catch((error: unknown) => {
        const isTooLong = error instanceof GrpcError && error.status === STATUS.outOfRange
        if (isTooLong && pageSize > MIN_PAGE_ITEMS) return 'too long' as const
        throw error
      })
      // Older hubs know no lent storage.
      if (!bytes) return
      // Half of what was large: published servers have no limit of their own.
      if (bytes === 'too long' || bytes.length > LARGE_PAGE_BYTES) {
        this.#pageItems = Math.max(MIN_PAGE_ITEMS, Math.ceil(pageSize / 2))
      }
      if (bytes === 'too long') continue
      const page = messagesOf(bytes)
      if (page.messages.length > 0) yield page.messages
      if (!page.token || (page.messages.length === 0 && equal(page.token, token))) return
      token = page.token
    }
    throw new Error(`${method} of fid ${fid} does not end`)
  }

  /** A cast as it is on the wire; undefined when the source does not have it. */
  cast(fid: number, hash: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#optional('GetCast', CastIdSchema, { fid: BigInt(fid), hash })
  }

  /** Links of this type to a fid, page by page, with repeats and without an end: see `wide`. */
  followers(fid: number, linkType: string): AsyncGenerator<readonly Uint8Array[]> {
    const target = { case: 'targetFid', value: BigInt(fid) } as const
    return this.#wide('GetLinksByTarget', LinksByTargetRequestSchema, { target, linkType })
  }

  /** Casts in a channel, newest first, likewise. */
  castsOf(url: string): AsyncGenerator<readonly Uint8Array[]> {
    const parent = { case: 'parentUrl', value: url } as const
    return this.#wide('GetCastsByParent', CastsByParentRequestSchema, { parent, reverse: true })
  }

  /** A list over all shards. Snapchain begins it again when it is over: the reader stops at a page with nothing new. */
  async *#wide<S extends DescMessage>(
    method: string,
    schema: S,
    request: object,
  ): AsyncGenerator<readonly Uint8Array[]> {
    let token: Uint8Array | undefined
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const asked = { ...request, pageSize: WIDE_PAGE_ITEMS, ...(token && { pageToken: token }) }
      const init = asked as unknown as MessageInitShape<S>
      const page = messagesOf(await this.#ask(method, schema, init, PAGE))
      yield page.messages
      if (!page.token || page.messages.length === 0) return
      token = page.token
    }
  }

  /** All events of a type about a fid, of the whole history. */
  async accountEvents(fid: number, eventType: OnChainEventType): Promise<OnChainEvent[]> {
    const events: OnChainEvent[] = []
    let token: Uint8Array | undefined
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const request = { fid: BigInt(fid), eventType, ...(token && { pageToken: token }) }
      const bytes = await this.#ask('GetOnChainEvents', OnChainEventRequestSchema, request)
      const page = fromBinary(OnChainEventResponseSchema, bytes)
      events.push(...page.events)
      if (!page.nextPageToken?.length || page.events.length === 0) return events
      token = page.nextPageToken
    }
    throw new Error(`the events of fid ${fid} do not end`)
  }

  async nameProofs(fid: number): Promise<UserNameProof[]> {
    const bytes = await this.#ask('GetUserNameProofsByFid', FidRequestSchema, { fid: BigInt(fid) })
    return fromBinary(UsernameProofsResponseSchema, bytes).proofs
  }

  /** The fid that holds a name now. */
  async fidOf(name: string): Promise<number | undefined> {
    const request = { name: Buffer.from(name) }
    const bytes = await this.#optional('GetUsernameProof', UsernameProofRequestSchema, request)
    return bytes && Number(fromBinary(UserNameProofSchema, bytes).fid)
  }

  /** Messages of each set, by the number of the set; without those of which the source does not say it. */
  async used(fid: number): Promise<ReadonlyMap<number, number>> {
    return (await this.usage(fid)).used
  }

  /** The same, with the number that each set may have. */
  async usage(fid: number): Promise<Usage> {
    const bytes = await this.#optional('GetCurrentStorageLimitsByFid', FidRequestSchema, {
      fid: BigInt(fid),
    })
    const limits = bytes ? fromBinary(StorageLimitsResponseSchema, bytes).limits : []
    const used = new Map(limits.map((one) => [one.storeType as number, Number(one.used)]))
    const total = [...used.values()].reduce((sum, n) => sum + n, 0)
    // Snapchain counts what was lent to somebody together with what they lent, and lists the latter alone.
    if (this.#kind === 'snapchain') used.delete(MESSAGE_SETS.storageLends)
    // Hubble's numbers drift: it counts a first message twice, and links that a compact state has deleted.
    if (this.#kind === 'hubble') used.clear()
    const allowed = limits.map((one) => [one.storeType as number, Number(one.limit)] as const)
    return { used, total, limits: allowed }
  }

  /** The gasless keys that a person has now, and whether these are all; nothing is said about those that were removed. */
  async gaslessKeys(
    fid: number,
  ): Promise<{ readonly keys: readonly GaslessKey[]; readonly areAll: boolean }> {
    const keys: GaslessKey[] = []
    let token: Uint8Array | undefined
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const request = { fid: BigInt(fid), ...(token && { pageToken: token }) }
      const bytes = await this.#optional('GetSignersByFid', SignersByFidRequestSchema, request)
      if (!bytes) return { keys, areAll: false }
      const page = fromBinary(SignersByFidResponseSchema, bytes)
      for (const { source, key, scopes } of page.signers) {
        if (source === SignerSource.OFFCHAIN) keys.push({ key, scopes })
      }
      if (!page.nextPageToken?.length || page.signers.length === 0) {
        return { keys, areAll: keys.length >= page.gaslessSignerCount }
      }
      token = page.nextPageToken
    }
    throw new Error(`the keys of fid ${fid} do not end`)
  }

  /** How many messages are below a prefix of the trie of a shard, and their hash in hex; empty when there are none. */
  async trieNode(shardId: number, prefix: Uint8Array): Promise<TrieNode> {
    const request = { shardId, prefix }
    try {
      const bytes = await this.#ask(
        'GetTrieMetadataByPrefix',
        TrieNodeMetadataRequestSchema,
        request,
      )
      const { numMessages, hash } = fromBinary(TrieNodeMetadataResponseSchema, bytes)
      return { items: Number(numMessages), hash }
    } catch (error) {
      if (isNoNode(error)) return { items: 0, hash: '' }
      throw error
    }
  }

  /** Fids of a shard, a portion at a time; some may repeat, and portions may be empty. */
  async *fids(shardId: number, reverse = false): AsyncGenerator<readonly number[]> {
    let token: Uint8Array | undefined
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const request = { shardId, reverse, pageSize: PAGE_ITEMS, ...(token && { pageToken: token }) }
      const bytes = await this.#ask('GetFids', FidsRequestSchema, request)
      const page = fromBinary(FidsResponseSchema, bytes)
      yield page.fids.map(Number)
      if (!page.nextPageToken?.length || equal(page.nextPageToken, token)) return
      token = page.nextPageToken
    }
  }

  /** Events of a shard with ids from `from` up to but without `before`. */
  async events(
    shard: number | undefined,
    { from, before, reverse = false, limit }: EventRange,
  ): Promise<Uint8Array[]> {
    const request = {
      startId: BigInt(from),
      ...(before !== undefined && { stopId: BigInt(before) }),
      ...(shard !== undefined && { shardIndex: shard }),
      pageSize: limit,
      reverse,
    }
    const bytes = await this.#ask('GetEvents', EventsRequestSchema, request, PAGE)
    return fieldsOf(bytes, 1)
  }

  subscribe(
    shard: number | undefined,
    fromId: number | undefined,
    handlers: StreamHandlers,
  ): MessageStream {
    const request = create(SubscribeRequestSchema, {
      eventTypes: EVENT_TYPES,
      ...(fromId !== undefined && { fromId: BigInt(fromId) }),
      ...(shard !== undefined && { shardIndex: BigInt(shard) }),
    })
    const bytes = toBinary(SubscribeRequestSchema, request)
    return this.#clients[this.#at]!.stream('/HubService/Subscribe', bytes, handlers)
  }

  /**
   * Gives a message to the source, once. Throws a GrpcError when it is not known to be accepted. `path`: the mirrors that it
   * has come through.
   */
  async submit(message: Uint8Array, path?: string): Promise<void> {
    const end = await this.#limiter.begin(this.#closed.signal)
    let status: number = STATUS.ok
    try {
      const client = this.#clients[this.#at]!
      const headers = this.#options.ownId && {
        [PATH_HEADER]: pathThrough(path, this.#options.ownId),
      }
      await client.call(
        '/HubService/SubmitMessage',
        message,
        SUBMIT_TIMEOUT_MS,
        headers || undefined,
      )
    } catch (error) {
      if (error instanceof GrpcError) status = error.status
      throw error
    } finally {
      end(RETRIED.has(status) ? 'overloaded' : 'answered')
      this.#options.onRequest?.('SubmitMessage', status)
    }
  }

  /** Counts a failed stream or call to an address; after several in a row the next one is asked. */
  noteFault(at: number): void {
    // Calls that began at another address say nothing about the present one.
    if (at !== this.#at) return
    this.#faults++
    if (this.#faults < FAULTS_TO_MOVE || this.#clients.length < 2) return
    this.#moveTo((at + 1) % this.#clients.length)
  }

  noteSuccess(at: number): void {
    if (at !== this.#at) return
    this.#faults = 0
    const { returnMs = RETURN_MS } = this.#options
    if (at !== 0 && performance.now() - this.#movedAt > returnMs) void this.#tryFirst()
  }

  /** Returns to the first address once it answers. */
  async #tryFirst(): Promise<void> {
    this.#movedAt = performance.now()
    const request = toBinary(HubInfoRequestSchema, create(HubInfoRequestSchema))
    try {
      await this.#clients[0]!.call('/HubService/GetInfo', request, CALL_TIMEOUT_MS)
    } catch {
      return
    }
    if (!this.#closed.signal.aborted && this.#at !== 0) this.#moveTo(0)
  }

  /** Calls that have begun are made again there. */
  #moveTo(at: number): void {
    this.#faults = 0
    this.#movedAt = performance.now()
    this.#clients[this.#at]!.close()
    this.#at = at
  }

  close(): void {
    this.#closed.abort()
    for (const client of this.#clients) client.close()
  }

  /** The answer; undefined when there is no such thing, or no such method. */
  async #optional<S extends DescMessage>(
    method: string,
    schema: S,
    request: MessageInitShape<S>,
    terms?: AskTerms,
  ): Promise<Uint8Array | undefined> {
    try {
      return await this.#ask(method, schema, request, terms)
    } catch (error) {
      const isNo =
        error instanceof GrpcError &&
        (error.status === STATUS.notFound || error.status === STATUS.unimplemented)
      if (isNo) return undefined
      throw error
    }
  }

  /** Makes a call, with retries. Throws when the source refuses for good or after too many failures. */
  async #ask<S extends DescMessage>(
    method: string,
    schema: S,
    request: MessageInitShape<S>,
    { timeoutMs = CALL_TIMEOUT_MS, onTrailers }: AskTerms = {},
  ): Promise<Buffer> {
    const bytes = toBinary(schema, create(schema, request) as MessageShape<S>)
    for (let attempt = 1; ; attempt++) {
      const end = await this.#limiter.begin(this.#closed.signal)
      const at = this.#at
      let failure: GrpcError | undefined
      try {
        const answer = await this.#clients[at]!.call(
          `/HubService/${method}`,
          bytes,
          timeoutMs,
          undefined,
          onTrailers,
        )
        this.noteSuccess(at)
        this.#options.onRequest?.(method, STATUS.ok)
        return answer
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error
        failure = error
        this.#options.onRequest?.(method, error.status)
      } finally {
        end(failure && isRetried(failure) ? 'overloaded' : 'answered')
      }
      await this.#afterFault(method, failure, { at, attempt })
    }
  }

  async #afterFault(
    method: string,
    failure: GrpcError,
    { at, attempt }: { readonly at: number; readonly attempt: number },
  ): Promise<void> {
    this.#closed.signal.throwIfAborted()
    if (REFUSED.has(failure.status)) {
      this.#limiter.waitUntil(REFUSED_BACKOFF_MS)
      throw new SourceRefusedError(`${this.host} refuses ${method}: ${failure.message}`)
    }
    if (!isRetried(failure)) throw failure
    this.noteFault(at)
    if (attempt >= MAX_ATTEMPTS) throw failure
    const ms = failure.retryAfterMs ?? backoffMs(SOURCE_BACKOFF, attempt, this.#options.random)
    if (failure.retryAfterMs !== undefined) this.#limiter.waitUntil(failure.retryAfterMs)
    await delay(ms, undefined, { signal: this.#closed.signal })
  }
}

type AskTerms = {
  readonly timeoutMs?: number
  readonly onTrailers?: StreamHandlers['onTrailers']
}

const PAGE: AskTerms = { timeoutMs: PAGE_TIMEOUT_MS }

type EventRange = {
  readonly from: number
  readonly before?: number
  readonly reverse?: boolean
  readonly limit: number
}

export type ListMethod =
  | 'GetAllCastMessagesByFid'
  | 'GetAllReactionMessagesByFid'
  | 'GetAllVerificationMessagesByFid'
  | 'GetAllUserDataMessagesByFid'
  | 'GetAllLinkMessagesByFid'
  | 'GetAllLendStorageMessagesByFid'
  | 'GetLinkCompactStateMessageByFid'

const TIMED: ReadonlySet<string> = new Set([
  'GetAllCastMessagesByFid',
  'GetAllReactionMessagesByFid',
  'GetAllVerificationMessagesByFid',
  'GetAllUserDataMessagesByFid',
  'GetAllLinkMessagesByFid',
  'GetAllLendStorageMessagesByFid',
])

/** Hubble has no shards, and Rookery a name but no heights. */
function infoOf({
  version,
  nickname,
  shardInfos,
  dbStats,
}: HubInfoResponse): Omit<SourceInfo, 'path'> {
  const shards = shardInfos
    .map(({ shardId, maxHeight }) => ({ shard: shardId, height: Number(maxHeight) }))
    .filter(({ shard }) => shard > 0)
  const registered = shardInfos.reduce((sum, one) => sum + Number(one.numFidRegistrations), 0)
  const isRookery = nickname !== '' && shards.every(({ height }) => height === 0)
  if (shards.length > 0 && !isRookery) {
    return { kind: 'snapchain', version, shards, registered }
  }
  const all = [{ shard: 0, height: 0 }]
  if (shards.length > 0) return { kind: 'rookery', version, shards: all, registered }
  const fids = Number(dbStats?.numFidEvents ?? 0n)
  return { kind: 'hubble', version, shards: all, registered: fids }
}

/** A MessagesResponse without decoding its messages. */
function messagesOf(bytes: Uint8Array) {
  return {
    messages: fieldsOf(bytes, 1),
    token: fieldsOf(bytes, 2).find(({ length }) => length > 0),
  }
}

function fieldsOf(bytes: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = []
  const scan = new FieldScan(bytes)
  while (scan.next()) if (scan.number === number) found.push(fieldBytes(bytes, scan))
  if (scan.isBroken) throw new GrpcError(STATUS.internal, 'the answer is not what was asked for')
  return found
}

const equal = (a: Uint8Array, b: Uint8Array | undefined) =>
  b !== undefined && Buffer.compare(a, b) === 0
