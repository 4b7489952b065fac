import type { EventFeed, FeedEvent } from '../hub/events/event-feed.ts'
import { Rejection } from '../protocol/rejection.ts'
import { HubEventType } from '../protocol/wire/hub_event_pb.js'
import { type SubscribeRequest, SubscribeRequestSchema } from '../protocol/wire/rpc_pb.js'
import type { CallLimits } from './limits.ts'
import type { ServerStreamHandler, StreamCall } from './method.ts'
import { checkShard, decodeRequest, readEventId } from './requests.ts'

/** As in the deployed hubs; the bound itself is excluded. */
const MAX_TOTAL_SHARDS = 10n
/** A reader that accepts nothing for this long while data is waiting is gone. */
const STALL_TIMEOUT_MS = 600_000

type SubscribeOptions = {
  readonly feed: EventFeed
  readonly limits: Pick<CallLimits, 'openSubscription'>
  /** Aborted when the hub stops. */
  readonly stopping: AbortSignal
  /** After this time without an event, the last event is sent again; 0: never. */
  readonly repeatMs: number
  readonly stallTimeoutMs?: number
  onDelivered(events: number): void
}

/** Subscribe: stored events from an id on and then those that are committed, until one side ends it. */
export function subscribe(options: SubscribeOptions): ServerStreamHandler {
  return async (bytes, call) => {
    const request = decodeRequest(SubscribeRequestSchema, bytes)
    const matches = filterOf(request)
    const release = options.limits.openSubscription(call)
    const ended = new AbortController()
    const signal = AbortSignal.any([call.signal, options.stopping, ended.signal])
    try {
      const { fromId } = request
      const subscription = await options.feed.subscribe({
        fromId: fromId === undefined ? undefined : readEventId(fromId),
        field: 'from_id',
        matches,
        signal,
      })
      const { oldestId } = subscription
      call.sendHeaders(oldestId === undefined ? {} : { 'x-oldest-event-id': String(oldestId) })
      const repeat = new Repeater(call, options.repeatMs)
      try {
        // Not `signal`, which asks each of its sources every time.
        while (!call.signal.aborted && !options.stopping.aborted) {
          const events = await subscription.next()
          repeat.stop()
          if (events.length === 0) break
          const waiting = call.write(events.map(({ bytes }) => bytes))
          if (waiting) await inTime(waiting, options)
          options.onDelivered(events.length)
          repeat.start(events.at(-1)!.bytes)
        }
      } finally {
        repeat.stop()
      }
      if (options.stopping.aborted) throw new Rejection('unavailable', 'the hub is stopping')
      if (!call.signal.aborted) {
        throw new Rejection('unavailable', 'the network was reset or put back: subscribe again')
      }
    } finally {
      ended.abort()
      release()
    }
  }
}

/** Waits for a slow reader, for a limited time and not beyond the shutdown of the hub. */
async function inTime(
  written: Promise<void>,
  { stallTimeoutMs = STALL_TIMEOUT_MS, stopping }: SubscribeOptions,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  const cut = new Promise<never>((_, reject) => {
    const text = 'Stream is backed up, please consume events faster. Closing stream.'
    timer = setTimeout(() => reject(new Rejection('unavailable', text)), stallTimeoutMs)
    stop = () => reject(new Rejection('unavailable', 'the hub is stopping'))
    if (stopping.aborted) stop()
    stopping.addEventListener('abort', stop)
  })
  try {
    await Promise.race([written, cut])
  } finally {
    clearTimeout(timer)
    if (stop) stopping.removeEventListener('abort', stop)
  }
}

/**
 * Sends the last event again on silent streams: some clients treat silence as a broken connection.
 */
class Repeater {
  readonly #call: StreamCall
  readonly #ms: number
  #timer: NodeJS.Timeout | undefined

  constructor(call: StreamCall, ms: number) {
    this.#call = call
    this.#ms = ms
  }

  start(lastEvent: Uint8Array): void {
    if (this.#ms === 0) return
    this.#timer = setInterval(() => {
      // A write that had to wait would be repeated behind itself, so repeating ends.
      if (this.#call.write([lastEvent])) this.stop()
    }, this.#ms)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

type Filter = (event: Pick<FeedEvent, 'type' | 'fid'>) => boolean

/**
 * The event types and shards that a request selects; undefined for all. Throws a Rejection when its
 * shards are invalid.
 */
export function filterOf({
  eventTypes,
  totalShards,
  shardIndex,
}: Pick<SubscribeRequest, 'eventTypes' | 'totalShards' | 'shardIndex'>): Filter | undefined {
  const types = eventTypes.length > 0 ? new Set<number>(eventTypes) : undefined
  const shard = shardOf(totalShards, shardIndex)
  if (!types && !shard) return undefined
  return ({ type, fid }) =>
    (types?.has(type) ?? true) && (!shard || shardOfEvent(type, fid, shard.total) === shard.index)
}

function shardOf(total: bigint | undefined, index: bigint | undefined) {
  if (!total) {
    // Newer clients send only an index, of a shard of the network.
    checkShard(index, 'shard_index')
    return undefined
  }
  const refuse = (text: string, field: string) =>
    new Rejection('bad_request.invalid_param', text, { field })
  if (total > MAX_TOTAL_SHARDS) throw refuse('totalShards must be less than 10', 'total_shards')
  if (index === undefined || index >= total) throw refuse('invalid shard index', 'shard_index')
  return { total: Number(total), index: Number(index) }
}

/** Events that are not about a message of a user all go to the first shard. */
const ON_FIRST_SHARD: ReadonlySet<number> = new Set([
  HubEventType.MERGE_USERNAME_PROOF,
  HubEventType.MERGE_ON_CHAIN_EVENT,
])

const shardOfEvent = (type: number, fid: number, total: number): number =>
  ON_FIRST_SHARD.has(type) ? 0 : jumpHash(fid, total)

const MULTIPLIER = 2_862_933_555_777_941_757n

/** Jump consistent hashing of Lamping and Veach, as the deployed hubs place fids on shards. */
export function jumpHash(key: number, buckets: number): number {
  let state = BigInt(key)
  let bucket = 0
  for (let next = 0; next < buckets; ) {
    bucket = next
    state = BigInt.asUintN(64, state * MULTIPLIER + 1n)
    next = Math.floor(((bucket + 1) * 2 ** 31) / (Number(state >> 33n) + 1))
  }
  return bucket
}
