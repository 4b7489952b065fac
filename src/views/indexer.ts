import { create, toBinary } from '@bufbuild/protobuf'
import { eventTime } from '../protocol/event-id.ts'
import { MESSAGE_FORMS } from '../protocol/message.ts'
import { MessageDataSchema, MessageType } from '../protocol/wire/message_pb.js'
import type { SentMessage } from '../storage/envelopes.ts'
import type { LogState, StoredEvent } from '../storage/events.ts'
import type { Storage } from '../storage/storage.ts'
import type { ViewStore } from '../storage/view-store.ts'
import { type ViewWriter, viewWriter } from '../storage/view-writer.ts'
import type { ViewBuild, ViewDelivery, ViewPosition } from '../storage/views.ts'
import {
  type Contribution,
  changesProfile,
  compactFollowsOf,
  contributionOf,
  FOLLOW,
  removalOf,
} from './contribution.ts'
import { type EventStep, stepOf } from './event-steps.ts'
import { Fold } from './fold.ts'
import type { MatchedEvent, Matcher } from './matcher.ts'

export type IndexerOptions = {
  readonly storage: Pick<Storage, 'events' | 'messages' | 'accounts'>
  readonly views: ViewStore
  readonly matcher: Matcher
  /** Name of this process. One process of those that share a database is at work. */
  readonly holder: string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly bounds?: Partial<IndexerBounds>
}

export type IndexerBounds = {
  /** Events of a transaction. */
  readonly events: number
  /** About so many bytes of them. */
  readonly bytes: number
  /** Stored messages of a transaction of a build. */
  readonly messages: number
  /** About so many bytes of their data. */
  readonly messageBytes: number
  /** Profiles of a transaction of a build. */
  readonly profiles: number
}

/**
 * A build on SQLite writes every page that a transaction changes once, and most messages change pages of their own:
 * many messages share more of them. On PostgreSQL other processes wait for the end of the transaction.
 */
const BUILD_MESSAGES = { sqlite: 20_000, postgres: 5_000 } as const
const DEFAULT_BOUNDS: Omit<IndexerBounds, 'messages'> = {
  events: 2_500,
  bytes: 4 * 1024 * 1024,
  messageBytes: 16 * 1024 * 1024,
  profiles: 1_000,
}
/** Events that are in memory at a time. With all events of a transaction in memory, V8's collector copied them twice. */
const PORTION_EVENTS = 256
/** Messages that a build reads at a time. */
const SCAN_PORTION = 2_500

/** The result of one transaction. */
export type IndexerStep = {
  readonly cursor: number
  /** The newest event at the time. */
  readonly newestId: number
  readonly events: number
  /** Share of a build that is done; undefined outside of builds. */
  readonly ratio: number | undefined
  /** Whether there is more to do at once. */
  readonly hasMore: boolean
  /** Whether another process is at work. */
  readonly isLeftToOthers: boolean
}

/** A process that has been silent for this long gives the work to another one. */
const LEASE_MS = 5_000
/** The lease is renewed when less than this is left of it: renewing it with every batch would cost a write each time. */
const LEASE_RENEWAL_MS = 4_000
const LEASE = 'lease'
/** A build first reads the events alone while they are this far behind, so that a transaction has few of them. */
const FAR_BEHIND_MS = 2_000
/** Share of the work of a build that profiles are. */
const PROFILE_SHARE = 0.1

/**
 * Folds the event log into the views, one transaction at a time: rows, what webhooks have to deliver and the
 * position in the log are committed together, so each event counts exactly once whatever crashes.
 */
export class Indexer {
  readonly #options: IndexerOptions
  readonly #bounds: IndexerBounds

  constructor(options: IndexerOptions) {
    this.#options = options
    const messages = BUILD_MESSAGES[options.views.kind]
    this.#bounds = { ...DEFAULT_BOUNDS, messages, ...options.bounds }
  }

  /** Applies the next events, or does the next part of a build. */
  step(): Promise<IndexerStep> {
    const { storage, views } = this.#options
    return views.write(async (sql) => {
      const writer = viewWriter(sql, views.kind)
      const [stored, isOurs] = await Promise.all([
        writer.position(),
        views.isExclusive || this.#takeLease(writer),
      ])
      const cursor = stored?.cursor ?? 0
      const [log, found] = await Promise.all([
        storage.events.logState(cursor),
        isOurs ? this.#portionAfter(cursor, this.#bounds.events) : [],
      ])
      if (!isOurs) {
        return {
          cursor,
          newestId: log.newestId,
          events: 0,
          ratio: stored?.build && (await this.#ratioOf(stored.build)),
          hasMore: false,
          isLeftToOthers: true,
        }
      }
      if (!stored || !isContinuous(stored, log)) return this.#beginBuild(writer, undefined, log)
      const { build } = stored
      if (build?.rendered !== undefined) return this.#renderMore(writer, stored, build, log)
      return build
        ? this.#buildMore(writer, stored, build, log, found)
        : this.#follow(writer, stored, log, found)
    })
  }

  /** Empties the views and has them built anew. Events that webhooks have not seen yet are not lost. */
  rebuild(): Promise<void> {
    const { storage, views } = this.#options
    return views.write(async (sql) => {
      const writer = viewWriter(sql, views.kind)
      const stored = await writer.position()
      const log = await storage.events.logState(stored?.cursor ?? 0)
      const isUsable = stored !== undefined && isContinuous(stored, log)
      await this.#beginBuild(writer, isUsable ? stored : undefined, log)
    })
  }

  async #beginBuild(
    writer: ViewWriter,
    kept: ViewPosition | undefined,
    log: LogState,
  ): Promise<IndexerStep> {
    await writer.empty()
    const cursor = kept?.cursor ?? log.newestId
    const build = { scanned: 0, messages: 0 }
    await writer.putPosition({ cursor, logStart: log.startId, build })
    return { ...NOTHING, cursor, newestId: log.newestId, ratio: 0, hasMore: true }
  }

  /** Reads the next portion of at most `limit` events. Its bound in bytes is its share of the bound of a transaction. */
  #portionAfter(cursor: number, limit: number): Promise<StoredEvent[]> {
    const { events, bytes } = this.#bounds
    const count = Math.min(limit, PORTION_EVENTS)
    return this.#options.storage.events.list(cursor + 1, count, Math.ceil((bytes * count) / events))
  }

  /** Applies the events of a transaction, of which `first` were found after the position. */
  async #follow(
    writer: ViewWriter,
    position: ViewPosition,
    log: LogState,
    first: readonly StoredEvent[],
  ): Promise<IndexerStep> {
    const fold = new Fold(writer, this.#options.storage)
    const { cursor, events } = await this.#apply(writer, fold, position.cursor, first, EVERYTHING)
    const result = { ...NOTHING, cursor, newestId: Math.max(log.newestId, cursor) }
    if (events === 0) return result
    await writer.putPosition({ ...position, cursor })
    return { ...result, events, hasMore: cursor < log.newestId }
  }

  /** Applies the events after a position, portion after portion, as many as a transaction has. */
  async #apply(
    writer: ViewWriter,
    fold: Fold,
    position: number,
    first: readonly StoredEvent[],
    counts: Counted,
  ): Promise<{ cursor: number; events: number }> {
    const deliveries: ViewDelivery[] = []
    const limit = this.#bounds.events
    let cursor = position
    let events = 0
    // A portion may be shorter than asked for, so portions are counted too.
    for (let left = Math.ceil(limit / PORTION_EVENTS), found = first; found.length > 0; ) {
      deliveries.push(...(await this.#applySteps(fold, found.values().map(stepOf), counts)))
      cursor = found.at(-1)!.id
      events += found.length
      if (--left === 0 || events >= limit) break
      found = await this.#portionAfter(cursor, limit - events)
      // When the log was pruned meanwhile, events may be missing in between. The next step sees that and builds anew.
      if (!(await this.#options.storage.events.logState(cursor)).hasCursor) break
    }
    if (events > 0) await fold.flush()
    await writer.insertDeliveries(deliveries)
    return { cursor, events }
  }

  /**
   * Hands events to the fold and returns what webhooks are to be told. `counts` says which additions and removals concern
   * rows of the views: all of them, except during a build.
   */
  async #applySteps(
    fold: Fold,
    steps: Iterable<EventStep | undefined>,
    counts: Counted,
  ): Promise<readonly ViewDelivery[]> {
    const matched: MatchedEvent[] = []
    for (const step of steps) {
      if (!step) continue
      const { id, added, removed } = step
      const removal = removed && removalOf(removed.message, removed.id)
      if (removal && counts.removal(removal.id)) fold.remove(removal)
      const contribution = added && contributionOf(added, id)
      if (contribution && counts.additions) fold.add(contribution)
      const compact = added && compactFollowsOf(added)
      const ended = compact ? await fold.compact(compact, id) : []
      const updated = updatedBy(step)
      for (const fid of updated) fold.render(fid)
      matched.push({
        id,
        added,
        removed: removed
          ? [removed.message, ...ended.map(followMessage)]
          : ended.map(followMessage),
        registered: step.registered,
        updated,
      })
    }
    return this.#options.matcher(matched)
  }

  /**
   * One part of a build: stored messages in the order of their ids up to the position in the log, and then all
   * events after it. A removal counts when its message was scanned; an addition is ignored, because the scan
   * will meet it, until the scan has reached the position.
   */
  async #buildMore(
    writer: ViewWriter,
    position: ViewPosition,
    build: ViewBuild,
    log: LogState,
    early: readonly StoredEvent[],
  ): Promise<IndexerStep> {
    const { storage } = this.#options
    const limits = this.#bounds
    const fold = new Fold(writer, storage)
    const isBehind =
      early.length > 0 && eventTime(log.newestId) - eventTime(early.at(-1)!.id) > FAR_BEHIND_MS
    if (isBehind) {
      const { cursor, events } = await this.#apply(writer, fold, position.cursor, early, {
        additions: false,
        removal: (id) => id <= build.scanned,
      })
      await writer.putPosition({ ...position, cursor })
      return this.#building({
        cursor,
        newestId: Math.max(log.newestId, cursor),
        events,
        build,
      })
    }
    const { ids, to, isLast } = await this.#scan(fold, build.scanned, position.cursor)
    // Read after the messages: it tells of everything that was removed before they were read.
    const events = []
    for (let after = position.cursor; ; ) {
      const found = await storage.events.list(after + 1, limits.events, limits.bytes)
      if (found.length === 0) break
      events.push(...found.map(stepOf))
      after = found.at(-1)!.id
      position = { ...position, cursor: after }
    }
    const addedIds = new Set(isLast ? events.flatMap((step) => (step?.added ? [step.id] : [])) : [])
    const deliveries = await this.#applySteps(fold, events, {
      additions: isLast,
      removal: (id) => id <= build.scanned || ids.has(id) || addedIds.has(id),
    })
    await fold.flush()
    await writer.insertDeliveries(deliveries)
    const scannedTo = isLast ? position.cursor : to
    const next: ViewBuild = {
      scanned: scannedTo,
      messages: build.messages + ids.size,
      ...(isLast && { rendered: 0 }),
    }
    await writer.putPosition({ ...position, build: next })
    return this.#building({
      cursor: position.cursor,
      newestId: Math.max(log.newestId, position.cursor),
      events: events.length,
      build: next,
    })
  }

  /**
   * Adds stored messages to the fold: those with ids after `after` and up to `last`, as many as fit into a transaction. They
   * are read in portions, and only the fold's own data about them stays in memory.
   */
  async #scan(fold: Fold, after: number, last: number): Promise<Scan> {
    const { messages, messageBytes } = this.#bounds
    const ids = new Set<number>()
    let to = after
    for (let bytes = 0; ids.size < messages && bytes < messageBytes; ) {
      const portion = Math.min(SCAN_PORTION, messages - ids.size)
      const found = await this.#options.storage.messages.scan(to, portion)
      for (const row of found) {
        if (row.id > last) return { ids, to, isLast: true }
        ids.add(row.id)
        to = row.id
        bytes += row.data.length
        const contribution = contributionOf(row, row.id)
        if (contribution) fold.add(contribution)
      }
      if (found.length < portion) return { ids, to, isLast: true }
    }
    return { ids, to, isLast: false }
  }

  /** The last part of a build: the profiles of all registered fids. */
  async #renderMore(
    writer: ViewWriter,
    position: ViewPosition,
    build: ViewBuild,
    log: LogState,
  ): Promise<IndexerStep> {
    const { storage } = this.#options
    const { profiles } = this.#bounds
    const fids = await storage.accounts.fidsAfter(build.rendered ?? 0, profiles)
    const fold = new Fold(writer, storage)
    for (const fid of fids) fold.render(fid)
    await fold.flush()
    if (fids.length < profiles) {
      const { build: _, ...ready } = position
      await writer.putPosition(ready)
      return { ...NOTHING, cursor: position.cursor, newestId: log.newestId, hasMore: true }
    }
    const next = { ...build, rendered: fids.at(-1)! }
    await writer.putPosition({ ...position, build: next })
    return this.#building({
      cursor: position.cursor,
      newestId: log.newestId,
      events: 0,
      build: next,
    })
  }

  async #building({
    build,
    ...rest
  }: Pick<IndexerStep, 'cursor' | 'newestId' | 'events'> & {
    build: ViewBuild
  }): Promise<IndexerStep> {
    return { ...NOTHING, ...rest, ratio: await this.#ratioOf(build), hasMore: true }
  }

  async #ratioOf({ messages, rendered }: ViewBuild): Promise<number> {
    const { storage } = this.#options
    if (rendered === undefined) {
      const all = Math.max(1, await storage.messages.count())
      return Math.min(1, messages / all) * (1 - PROFILE_SHARE)
    }
    const newest = Math.max(1, await storage.accounts.newestFid())
    return 1 - PROFILE_SHARE + Math.min(1, rendered / newest) * PROFILE_SHARE
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

/** The stored messages that one transaction of a build has read: their ids, the greatest id, and whether they were the last ones. */
type Scan = { readonly ids: ReadonlySet<number>; readonly to: number; readonly isLast: boolean }

/** Which changes concern rows of the views. */
type Counted = { readonly additions: boolean; removal(id: number): boolean }
const EVERYTHING: Counted = { additions: true, removal: () => true }

const NOTHING = { events: 0, ratio: undefined, hasMore: false, isLeftToOthers: false }

/**
 * Whether the log goes on where the views are. Otherwise events after the position were pruned, the data were
 * reset, or a backup was restored that is older than the views.
 */
function isContinuous({ cursor, logStart }: ViewPosition, log: LogState): boolean {
  if (logStart !== log.startId) return false
  return log.hasCursor || cursor === log.startId || cursor === log.prunedId
}

/** Fids whose profiles an event changed. */
function updatedBy({ added, removed, updated }: EventStep): readonly number[] {
  const fids = [...updated]
  if (added && changesProfile(added)) fids.push(added.fid)
  if (removed && changesProfile(removed.message)) fids.push(removed.message.fid)
  return fids.length > 1 ? [...new Set(fids)] : fids
}

/** A follow that a compact state ended, as far as the views know it. */
function followMessage({ fid, at, follows }: Contribution): SentMessage {
  const data = create(MessageDataSchema, {
    type: MessageType.LINK_ADD,
    fid: BigInt(fid),
    timestamp: at,
    body: {
      case: 'linkBody',
      value: { type: FOLLOW, target: { case: 'targetFid', value: BigInt(follows!) } },
    },
  })
  const none = new Uint8Array(0)
  return {
    fid,
    type: data.type,
    timestamp: at,
    form: MESSAGE_FORMS.data,
    hash: none,
    signature: none,
    signer: none,
    data: toBinary(MessageDataSchema, data),
  }
}
