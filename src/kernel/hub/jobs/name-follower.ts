import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../base/backoff.ts'
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
/** Reads of unknown names ask the feed once in this time, whoever sends them. */
const READ_INTERVAL_MS = 1_000
/** The longest that such a read waits for the feed. */
const READ_WAIT_MS = 1_000
/** After failed polls. */
const BACKOFF = { firstMs: 5_000, maxMs: 5 * 60_000 }

/**
 * Keeps the hub's name proofs up to date with a registry, local or remote, from the stored cursor. Any number of processes
 * may do so on one database.
 */
export class NameFollower {
  readonly #options: NameFollowerOptions
  readonly #cursor: string
  readonly #follow = singleFlight(() => this.#followOnce())
  readonly #running = new Set<Promise<void>>()
  #outage: { readonly sinceMs: number; failures: number; retryAtMs: number } | undefined
  /** Transfers that were announced since the last run that `wake` caused. */
  #announced = 0
  #isAwake = false
  /** The run that reads of unknown names wait for, and when the last one began. */
  #reading: Promise<void> | undefined
  #readAskedAt: number | undefined
  #isClosed = false

  constructor(options: NameFollowerOptions) {
    this.#options = options
    this.#cursor = options.feed.cursor ?? NAME_FEED_CURSOR
  }

  /**
   * Merges every transfer that the feed has now. Callers at the same time share a run. Throws a
   * NameFeedError when the feed cannot be read.
   */
  catchUp(): Promise<void> {
    const run = this.#follow()
    const ended = run.catch(() => {}).finally(() => this.#running.delete(ended))
    this.#running.add(ended)
    return run
  }

  /**
   * The same for the background job: while the feed cannot be read, it is asked at growing intervals
   * and nothing is thrown.
   */
  async poll(): Promise<void> {
    if (this.#isClosed || (this.#outage && this.#monotonicMs() < this.#outage.retryAtMs)) return
    try {
      await this.catchUp()
    } catch (error) {
      // An outage was reported when it began.
      if (!(error instanceof NameFeedError)) throw error
    }
  }

  /**
   * For a read of a name that is not known here: asks the feed even while polls back off, at most once a second. Resolves
   * when the feed has answered or a second has passed. Failures are those of the feed, and polls report them.
   */
  async catchUpForRead(): Promise<void> {
    const { pause = (ms) => sleep(ms, undefined, { ref: false }) } = this.#options
    const now = this.#monotonicMs()
    const isRecent = this.#readAskedAt !== undefined && now - this.#readAskedAt < READ_INTERVAL_MS
    if (this.#isClosed || (isRecent && !this.#reading)) return
    if (!this.#reading) {
      this.#readAskedAt = now
      this.#reading = this.catchUp()
        .catch(() => {})
        .finally(() => {
          this.#reading = undefined
        })
    }
    await Promise.race([this.#reading, pause(READ_WAIT_MS)])
  }

  /**
   * To be called when the registry in this process has stored so many transfers. Returns at once. Transfers that are stored
   * soon after one another are merged together.
   */
  wake(transfers: number): void {
    this.#announced += transfers
    if (!this.#isAwake) void this.#followWhileAwake()
  }

  /** Resolves when the last run has ended; later calls do nothing. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#running)
  }

  async #followWhileAwake(): Promise<void> {
    const { onError, pause = (ms) => sleep(ms, undefined, { ref: false }) } = this.#options
    this.#isAwake = true
    while (this.#announced > 0 && !this.#isClosed) {
      const isBusy = this.#announced >= MANY_TRANSFERS
      this.#announced = 0
      await this.poll().catch(onError)
      await pause(isBusy ? BUSY_WAKE_INTERVAL_MS : WAKE_INTERVAL_MS)
    }
    this.#isAwake = false
  }

  async #followOnce(): Promise<void> {
    const { reader, merger, now } = this.#options
    const cursor = this.#cursor
    while (!this.#isClosed) {
      const transfers = await this.#read(Number((await reader.cursors.get(cursor)) ?? 0))
      if (transfers.length === 0) return
      await merger.mergeNames({ cursor, transfers, nowMs: now() })
    }
  }

  async #read(position: number): Promise<readonly NameTransfer[]> {
    const { feed, onOutageBegin, onOutageEnd, random } = this.#options
    try {
      const transfers = await feed.transfersAfter(position, TRANSFERS_PER_TRANSACTION)
      const last = transfers.at(-1)
      if (last && last.id <= position) throw new Error('the name feed repeats itself')
      if (this.#outage) onOutageEnd((this.#monotonicMs() - this.#outage.sinceMs) / 1000)
      this.#outage = undefined
      return transfers
    } catch (error) {
      if (!this.#outage) onOutageBegin(error)
      this.#outage ??= { sinceMs: this.#monotonicMs(), failures: 0, retryAtMs: 0 }
      const waitMs = backoffMs(BACKOFF, ++this.#outage.failures, random)
      this.#outage.retryAtMs = this.#monotonicMs() + waitMs
      throw new NameFeedError(error)
    }
  }

  #monotonicMs(): number {
    return this.#options.monotonicMs?.() ?? performance.now()
  }
}
