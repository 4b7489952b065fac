import { setTimeout as sleep } from 'node:timers/promises'
import { singleFlight } from '../../base/concurrency.ts'
import type { Reader } from '../../storage/storage.ts'
import { NAME_FEED_CURSOR, type NameFeed, type NameTransfer } from '../names.ts'
import type { Merger } from '../submit/merger.ts'

/** The feed of name transfers cannot be read; the message says why. */
export class NameFeedError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'NameFeedError'
  }
}

/** Keeps the hub's name proofs up to date with a registry, local or remote. */
export type NameFollower = {
  /**
   * Merges every transfer that the feed has now. Callers at the same time share a run. Throws a
   * NameFeedError when the feed cannot be read.
   */
  catchUp(): Promise<void>
  /**
   * The same for the background job: while the feed cannot be read, it is asked at growing intervals
   * and nothing is thrown.
   */
  poll(): Promise<void>
  /**
   * To be called when the registry in this process has stored so many transfers. Returns at once. Transfers that are stored
   * soon after one another are merged together.
   */
  wake(transfers: number): void
  /** Resolves when the last run has ended; later calls do nothing. */
  close(): Promise<void>
}

type NameFollowerOptions = {
  readonly reader: Pick<Reader, 'cursors'>
  readonly merger: Pick<Merger, 'mergeNames'>
  readonly feed: NameFeed
  /** Unix ms. */
  readonly now: () => number
  /** Called once when the feed can no longer be read, and once when it can again. */
  readonly onOutageBegin: (error: unknown) => void
  readonly onOutageEnd: (seconds: number) => void
  /** Called for failures of `wake` that are not outages of the feed. */
  readonly onError: (error: unknown) => void
  /** Milliseconds of a clock that never steps back; for tests. */
  readonly monotonicMs?: () => number
  /** From 0 to 1, for the jitter of the backoff; for tests. */
  readonly random?: () => number
  /** Waits; for tests. */
  readonly pause?: (ms: number) => Promise<unknown>
}

const TRANSFERS_PER_TRANSACTION = 500
/**
 * Between two runs that `wake` causes: a transaction and the views' work on it cost much the same for many names, and the
 * registry in this process waits for it. Longer after a run that so many transfers had waited for.
 */
const WAKE_INTERVAL_MS = 25
const MANY_TRANSFERS = 8
const BUSY_WAKE_INTERVAL_MS = 250
/** First wait after a failed poll; it doubles with each further one. */
const BACKOFF_MS = 5_000
const MAX_BACKOFF_MS = 5 * 60_000

/** Follows a feed from the stored cursor. Any number of processes may do so on one database. */
export function followNames(options: NameFollowerOptions): NameFollower {
  const { reader, merger, feed, now, random = Math.random } = options
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const pause = options.pause ?? ((ms) => sleep(ms, undefined, { ref: false }))
  const { cursor = NAME_FEED_CURSOR } = feed
  const running = new Set<Promise<void>>()
  let outage: { readonly sinceMs: number; failures: number; retryAtMs: number } | undefined
  let closed = false

  async function read(position: number): Promise<readonly NameTransfer[]> {
    try {
      const transfers = await feed.transfersAfter(position, TRANSFERS_PER_TRANSACTION)
      const last = transfers.at(-1)
      if (last && last.id <= position) throw new Error('the name feed repeats itself')
      if (outage) options.onOutageEnd((monotonicMs() - outage.sinceMs) / 1000)
      outage = undefined
      return transfers
    } catch (error) {
      if (!outage) options.onOutageBegin(error)
      outage ??= { sinceMs: monotonicMs(), failures: 0, retryAtMs: 0 }
      const waitMs = Math.min(BACKOFF_MS * 2 ** outage.failures++, MAX_BACKOFF_MS)
      outage.retryAtMs = monotonicMs() + waitMs * (0.5 + random() / 2)
      throw new NameFeedError(error)
    }
  }

  async function followOnce(): Promise<void> {
    while (!closed) {
      const transfers = await read(Number((await reader.cursors.get(cursor)) ?? 0))
      if (transfers.length === 0) return
      await merger.mergeNames({ cursor, transfers, nowMs: now() })
    }
  }

  const follow = singleFlight(followOnce)
  const catchUp = (): Promise<void> => {
    const run = follow()
    const ended = run.catch(() => {}).finally(() => running.delete(ended))
    running.add(ended)
    return run
  }
  const poll = async (): Promise<void> => {
    if (closed || (outage && monotonicMs() < outage.retryAtMs)) return
    try {
      await catchUp()
    } catch (error) {
      // An outage was reported when it began.
      if (!(error instanceof NameFeedError)) throw error
    }
  }
  let waiting = 0
  let isFollowing = false
  const followWhileAwake = async () => {
    isFollowing = true
    while (waiting > 0 && !closed) {
      const intervalMs = waiting < MANY_TRANSFERS ? WAKE_INTERVAL_MS : BUSY_WAKE_INTERVAL_MS
      waiting = 0
      await poll().catch(options.onError)
      await pause(intervalMs)
    }
    isFollowing = false
  }
  return {
    catchUp,
    poll,
    wake(transfers) {
      waiting += transfers
      if (!isFollowing) void followWhileAwake()
    },
    async close() {
      closed = true
      await Promise.all(running)
    },
  }
}
