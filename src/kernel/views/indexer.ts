import { VERSION } from '../base/version.ts'
import type { Sql } from '../storage/engines/sql.ts'
import { isStoreFailure } from '../storage/engines/unavailable.ts'
import type { LogState, StoredEvent } from '../storage/messages/events.ts'
import type { ViewStore } from '../storage/views/view-store.ts'
import { type ViewWriter, viewWriter } from '../storage/views/view-writer.ts'
import type { ViewPosition } from '../storage/views/views.ts'
import { applyPortions, applyStep, EVERYTHING, stepSetAside } from './apply-events.ts'
import { Attempt, type LeftOut, nextLeftOut } from './attempt.ts'
import { beginBuild, buildMore, ratioOf, renderMore } from './build.ts'
import { Fold } from './fold.ts'
import {
  type IndexerBounds,
  type IndexerStep,
  NOTHING,
  portionAfter,
  putPosition,
  type Result,
  type Work,
  type WorkSources,
} from './indexer-work.ts'
import type { MatchedEvent } from './matcher.ts'

export type IndexerOptions = WorkSources & {
  readonly views: ViewStore
  /** Name of this process. Of the processes that share a database, one writes the views. */
  readonly holder: string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly bounds?: Partial<IndexerBounds>
  /** Of the program: what another version has set aside is tried again. */
  readonly version?: string
}

/**
 * A build on SQLite writes every page that a transaction changes once, and most messages change pages of their own:
 * many messages share more of them. On PostgreSQL other processes wait for the end of the transaction.
 */
const BUILD_MESSAGES = 20_000
const SHARED_BUILD_MESSAGES = 5_000
const DEFAULT_BOUNDS: Omit<IndexerBounds, 'messages'> = {
  events: 2_500,
  bytes: 4 * 1024 * 1024,
  messageBytes: 16 * 1024 * 1024,
  profiles: 1_000,
}

/** A process that has been silent for this long gives the work to another one. */
const LEASE_MS = 5_000
/** The lease is renewed when less than this is left of it: renewing it with every batch would cost a write each time. */
const LEASE_RENEWAL_MS = 4_000
const LEASE = 'lease'
/** A transaction that fails is tried again with a part of its events, and after a success with more again. */
const SHRINKING = 1 / 16
const GROWTH = 4
/** Enough to come from the largest transaction to one event, and to leave out each of its parts. */
const MAX_ATTEMPTS = 20

/**
 * Folds the event log into the views, one transaction at a time: rows, what webhooks have to deliver and the
 * position in the log are committed together, so each event counts exactly once whatever crashes.
 */
export class Indexer {
  readonly #options: IndexerOptions
  readonly #bounds: IndexerBounds
  readonly #version: string
  /** Share of the bounds that a transaction has: 1 unless one failed lately. */
  #share = 1
  #leftOut: LeftOut | undefined
  /** Whether everything that another version has set aside was tried again. */
  #hasTriedAgain = false

  constructor(options: IndexerOptions) {
    this.#options = options
    const { isExclusive } = options.views.engine
    const messages = isExclusive ? BUILD_MESSAGES : SHARED_BUILD_MESSAGES
    this.#bounds = { ...DEFAULT_BOUNDS, messages, ...options.bounds }
    this.#version = options.version ?? VERSION
  }

  /**
   * Applies the next events, or does the next part of a build. What cannot be applied is set aside, so this fails only when the
   * store does.
   */
  async step(): Promise<IndexerStep> {
    const { views, now } = this.#options
    const begun = () => new Attempt(this.#leftOut, now(), this.#version)
    for (let attempts = 1; ; attempts++) {
      let attempt = begun()
      try {
        const result = await views.write((sql) => {
          // PostgreSQL may run a transaction again.
          attempt = begun()
          return this.#transaction(sql, attempt)
        })
        this.#share = Math.min(1, this.#share * GROWTH)
        this.#leftOut = undefined
        const { earlierBuilds, setAside, newlySetAside } = attempt
        return { ...result, earlierBuilds, setAside, newlySetAside }
      } catch (error) {
        const mayGoOn = !isStoreFailure(error) && this.#narrow(attempt, error)
        if (!mayGoOn || attempts === MAX_ATTEMPTS) throw error
      }
    }
  }

  /** Prepares the attempt that follows a failed one; false when nothing is left to try. */
  #narrow(attempt: Attempt, error: unknown): boolean {
    const item = attempt.onlyItem
    if (item) {
      this.#leftOut = nextLeftOut(item, error, this.#leftOut)
      return this.#leftOut !== undefined
    }
    const { events, messages, profiles } = this.#bounds
    this.#share = Math.max(this.#share * SHRINKING, 1 / Math.max(events, messages, profiles))
    return attempt.items > 1
  }

  /** The bounds of the next transaction. */
  get #limits(): IndexerBounds {
    if (this.#share === 1) return this.#bounds
    const share = (bound: number) => Math.max(1, Math.floor(bound * this.#share))
    const { events, messages, profiles, ...bytes } = this.#bounds
    return { ...bytes, events: share(events), messages: share(messages), profiles: share(profiles) }
  }

  async #transaction(sql: Sql, attempt: Attempt): Promise<Result> {
    const { storage, views } = this.#options
    const limits = this.#limits
    const writer = viewWriter(sql, views.engine)
    const [stored, isOurs] = await Promise.all([
      writer.position(),
      views.engine.isExclusive || this.#takeLease(writer),
    ])
    const cursor = stored?.cursor ?? 0
    attempt.setAside = stored?.setAside ?? 0
    attempt.earlierBuilds = stored?.earlierBuilds ?? 0
    const [log, found] = await Promise.all([
      storage.events.logState(cursor),
      isOurs ? portionAfter({ storage, limits }, cursor, limits.events) : [],
    ])
    if (!isOurs) {
      return {
        cursor,
        newestId: log.newestId,
        events: 0,
        ratio: stored?.build && (await ratioOf(storage, stored.build)),
        hasMore: false,
        isLeftToOthers: true,
      }
    }
    if (!stored || !isContinuous(stored, log)) {
      attempt.setAside = 0
      attempt.earlierBuilds = buildsUpTo(stored)
      return beginBuild(writer, log, log.newestId, attempt.earlierBuilds)
    }
    const work = this.#work(writer, attempt)
    const { build } = stored
    if (build?.rendered !== undefined) return renderMore(work, stored, build, log)
    if (build) return buildMore(work, stored, build, log, found)
    const again = attempt.setAside > 0 && (await this.#tryAgain(work, stored, log))
    return again || this.#follow(work, stored, log, found)
  }

  #work(writer: ViewWriter, attempt: Attempt): Work {
    const { storage, matcher } = this.#options
    const fold = new Fold(writer, storage)
    const isNarrowed = this.#share < 1
    return { storage, matcher, limits: this.#limits, writer, attempt, fold, isNarrowed }
  }

  /** Empties the views and has them built anew. Events that webhooks have not seen yet are not lost. */
  rebuild(): Promise<void> {
    const { storage, views } = this.#options
    return views.write(async (sql) => {
      const writer = viewWriter(sql, views.engine)
      const stored = await writer.position()
      const log = await storage.events.logState(stored?.cursor ?? 0)
      const isUsable = stored !== undefined && isContinuous(stored, log)
      const cursor = isUsable ? stored.cursor : log.newestId
      await beginBuild(writer, log, cursor, buildsUpTo(stored))
    })
  }

  /** Applies the events of a transaction, of which `first` were found after the position. */
  async #follow(
    work: Work,
    position: ViewPosition,
    log: LogState,
    first: readonly StoredEvent[],
  ): Promise<Result> {
    const { cursor, events } = await applyPortions(work, position.cursor, first, EVERYTHING)
    const result = { ...NOTHING, cursor, newestId: Math.max(log.newestId, cursor) }
    if (events === 0) return result
    await putPosition(work, { ...position, cursor })
    return { ...result, events, hasMore: cursor < log.newestId }
  }

  /** Tries the next one of what another version has set aside. Undefined when there is none. */
  async #tryAgain(work: Work, position: ViewPosition, log: LogState): Promise<Result | undefined> {
    if (this.#hasTriedAgain) return undefined
    const { writer, attempt } = work
    const found = await writer.setAsideByOthers(this.#version)
    this.#hasTriedAgain = found === undefined
    if (!found) return undefined
    const { part, id, reason } = found
    const leftOut = attempt.begin({ kind: 'set aside', id })
    const step = leftOut ? undefined : await stepSetAside(work, found)
    await attempt.forget(writer, [found])
    if (step) {
      const matched: MatchedEvent[] = []
      await applyStep(work, step, EVERYTHING, undefined, matched)
      // Only the webhooks missed this event; the views have applied it.
      if (part !== 'webhooks') await work.fold.flush()
      const isTold = part === 'webhooks' || part === 'event'
      await writer.insertDeliveries(isTold ? await work.matcher(matched) : [])
    } else if (leftOut) attempt.put(part, id)
    // Its event has left the log, and only a rebuild can tell what it removed.
    else if (part === 'removed') attempt.put(part, id, reason)
    await putPosition(work, position)
    return { ...NOTHING, cursor: position.cursor, newestId: log.newestId, hasMore: true }
  }

  /** Takes or renews the lease. It only spares the others work: transactions lock a row. */
  async #takeLease(writer: ViewWriter): Promise<boolean> {
    const { holder, now } = this.#options
    const text = await writer.state(LEASE)
    const lease = text === undefined ? undefined : (JSON.parse(text) as Lease)
    const leftMs = lease ? lease.until - now() : 0
    if (lease?.holder === holder && leftMs > LEASE_RENEWAL_MS) return true
    if (lease && lease.holder !== holder && leftMs > 0) return false
    await writer.putState(LEASE, JSON.stringify({ holder, until: now() + LEASE_MS }))
    return true
  }
}

type Lease = { readonly holder: string; readonly until: number }

/**
 * Whether the log goes on where the views are. Otherwise events after the position were pruned, the data were
 * reset, or a backup was restored that is older than the views.
 */
function isContinuous({ cursor, logStart }: ViewPosition, log: LogState): boolean {
  if (logStart !== log.startId) return false
  return log.hasCursor || cursor === log.startId || cursor === log.prunedId
}

/** How many builds have begun, given the position of the last one. */
const buildsUpTo = (stored: ViewPosition | undefined) =>
  stored ? (stored.earlierBuilds ?? 0) + 1 : 0
