import { create, toBinary } from '@bufbuild/protobuf'
import { VERSION } from '../base/version.ts'
import { eventTime } from '../protocol/event-id.ts'
import { MESSAGE_FORMS } from '../protocol/message.ts'
import { MessageDataSchema, MessageType } from '../protocol/wire/message_pb.js'
import type { Sql } from '../storage/engines/sql.ts'
import { isStoreFailure } from '../storage/engines/unavailable.ts'
import type { SentMessage } from '../storage/messages/envelopes.ts'
import type { LogState, StoredEvent } from '../storage/messages/events.ts'
import type { Storage } from '../storage/storage.ts'
import type { ViewStore } from '../storage/views/view-store.ts'
import { type ViewWriter, viewWriter } from '../storage/views/view-writer.ts'
import type {
  AsidePart,
  ViewAside,
  ViewBuild,
  ViewDelivery,
  ViewPosition,
} from '../storage/views/views.ts'
import { Attempt, type LeftOut, nextLeftOut } from './attempt.ts'
import {
  type Contribution,
  changesProfile,
  compactFollowsOf,
  contributionOf,
  FOLLOW,
  type Removal,
  removalOf,
} from './contribution.ts'
import { type EventStep, stepOf } from './event-steps.ts'
import { Fold } from './fold.ts'
import type { MatchedEvent, Matcher } from './matcher.ts'

export type IndexerOptions = {
  readonly storage: Pick<Storage, 'events' | 'messages' | 'accounts'>
  readonly views: ViewStore
  readonly matcher: Matcher
  /** Name of this process. Of the processes that share a database, one writes the views. */
  readonly holder: string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly bounds?: Partial<IndexerBounds>
  /** Of the program: what another version has set aside is tried again. */
  readonly version?: string
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
const BUILD_MESSAGES = 20_000
const SHARED_BUILD_MESSAGES = 5_000
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
  /** Of the position. */
  readonly earlierBuilds: number
  /** Whether there is more to do at once. */
  readonly hasMore: boolean
  /** Whether another process is at work. */
  readonly isLeftToOthers: boolean
  /** How many parts of events are set aside in all. */
  readonly setAside: number
  /** What this transaction has set aside. */
  readonly newAsides: readonly ViewAside[]
}
type Result = Omit<IndexerStep, 'earlierBuilds' | 'setAside' | 'newAsides'>

/** A process that has been silent for this long gives the work to another one. */
const LEASE_MS = 5_000
/** The lease is renewed when less than this is left of it: renewing it with every batch would cost a write each time. */
const LEASE_RENEWAL_MS = 4_000
const LEASE = 'lease'
/** A build that is further behind applies events alone before it scans messages: a transaction then has few of both. */
const FAR_BEHIND_MS = 2_000
/** Share of the work of a build that profiles are. */
const PROFILE_SHARE = 0.1
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
        const { earlierBuilds, setAside, newAsides } = attempt
        return { ...result, earlierBuilds, setAside, newAsides }
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
      isOurs ? this.#portionAfter(cursor, this.#limits.events) : [],
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
    if (!stored || !isContinuous(stored, log)) {
      attempt.setAside = 0
      attempt.earlierBuilds = buildsUpTo(stored)
      return this.#beginBuild(writer, log, log.newestId, attempt.earlierBuilds)
    }
    const { build } = stored
    if (build?.rendered !== undefined) {
      return this.#renderMore(writer, attempt, stored, build, log)
    }
    if (build) return this.#buildMore(writer, attempt, stored, build, log, found)
    const again = attempt.setAside > 0 && (await this.#tryAgain(writer, attempt, stored, log))
    return again || this.#follow(writer, attempt, stored, log, found)
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
      await this.#beginBuild(writer, log, cursor, buildsUpTo(stored))
    })
  }

  async #beginBuild(
    writer: ViewWriter,
    log: LogState,
    cursor: number,
    earlierBuilds: number,
  ): Promise<Result> {
    await writer.empty()
    const build = { scanned: 0, messages: 0 }
    await writer.putPosition({ cursor, logStart: log.startId, build, earlierBuilds })
    return { ...NOTHING, cursor, newestId: log.newestId, ratio: 0, hasMore: true }
  }

  /** Reads the next portion of at most `limit` events. Its bound in bytes is its share of the bound of a transaction. */
  #portionAfter(cursor: number, limit: number): Promise<StoredEvent[]> {
    const { events, bytes } = this.#limits
    const count = Math.min(limit, PORTION_EVENTS)
    return this.#options.storage.events.list(cursor + 1, count, Math.ceil((bytes * count) / events))
  }

  /** Applies the events of a transaction, of which `first` were found after the position. */
  async #follow(
    writer: ViewWriter,
    attempt: Attempt,
    position: ViewPosition,
    log: LogState,
    first: readonly StoredEvent[],
  ): Promise<Result> {
    const work = { writer, attempt, fold: new Fold(writer, this.#options.storage) }
    const { cursor, events } = await this.#apply(work, position.cursor, first, EVERYTHING)
    const result = { ...NOTHING, cursor, newestId: Math.max(log.newestId, cursor) }
    if (events === 0) return result
    await this.#putPosition(work, { ...position, cursor })
    return { ...result, events, hasMore: cursor < log.newestId }
  }

  /** Writes what was set aside, and the position with their number. */
  async #putPosition({ writer, attempt }: Work, position: ViewPosition): Promise<void> {
    const { setAside: _, ...rest } = position
    const setAside = await attempt.save(writer)
    await writer.putPosition({ ...rest, ...(setAside > 0 && { setAside }) })
  }

  /** Tries the next one of what another version has set aside. Undefined when there is none. */
  async #tryAgain(
    writer: ViewWriter,
    attempt: Attempt,
    position: ViewPosition,
    log: LogState,
  ): Promise<Result | undefined> {
    if (this.#hasTriedAgain) return undefined
    const aside = await writer.asideOfOthers(this.#version)
    this.#hasTriedAgain = aside === undefined
    if (!aside) return undefined
    const { part, id, reason } = aside
    const work = { writer, attempt, fold: new Fold(writer, this.#options.storage) }
    const leftOut = attempt.begin({ kind: 'aside', id })
    const step = leftOut ? undefined : await this.#stepAside(aside)
    await attempt.forget(writer, [aside])
    if (step) {
      const matched: MatchedEvent[] = []
      await this.#applyStep(work, step, EVERYTHING, undefined, matched)
      // Only the webhooks missed this event; the views have applied it.
      if (part !== 'webhooks') await work.fold.flush()
      const isTold = part === 'webhooks' || part === 'event'
      await writer.insertDeliveries(isTold ? await this.#options.matcher(matched) : [])
    } else if (leftOut) attempt.put(part, id)
    // Its event has left the log, and only a rebuild can tell what it removed.
    else if (part === 'removed') attempt.put(part, id, reason)
    await this.#putPosition(work, position)
    return { ...NOTHING, cursor: position.cursor, newestId: log.newestId, hasMore: true }
  }

  /** What was set aside, as far as the log and the stored messages still say it. */
  async #stepAside({ part, id }: ViewAside): Promise<EventStep | undefined> {
    const { events, messages } = this.#options.storage
    const nothing = { id, added: undefined, removed: undefined, registered: [], updated: [] }
    if (part === 'profile') return { ...nothing, updated: [id] }
    const [[event], [message]] = await Promise.all([
      part === 'added' ? [] : events.list(id, 1, 1),
      part === 'added' || part === 'event' ? messages.scan(id - 1, 1) : [],
    ])
    const whole = event?.id === id ? stepOf(event) : undefined
    if (part === 'removed') return whole && { ...nothing, removed: whole.removed }
    return whole ?? (message?.id === id ? { ...nothing, added: message } : undefined)
  }

  /** Applies the events after a position, portion after portion, as many as a transaction has. */
  async #apply(
    work: Work,
    position: number,
    first: readonly StoredEvent[],
    counts: Counted,
  ): Promise<{ cursor: number; events: number }> {
    const deliveries: ViewDelivery[] = []
    const { writer, fold } = work
    const limit = this.#limits.events
    let cursor = position
    let events = 0
    // A portion may be shorter than asked for, so portions are counted too.
    for (let left = Math.ceil(limit / PORTION_EVENTS), found = first; found.length > 0; ) {
      deliveries.push(...(await this.#applyEvents(work, found, counts)))
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
  async #applyEvents(
    work: Work,
    events: readonly StoredEvent[],
    counts: Counted,
  ): Promise<readonly ViewDelivery[]> {
    const { attempt } = work
    const matched: MatchedEvent[] = []
    for (const event of events) {
      const leftOut = attempt.begin({ kind: 'event', id: event.id })
      if (leftOut === 'event') {
        attempt.put('event', event.id)
        continue
      }
      const step = stepOf(event)
      if (step) await this.#applyStep(work, step, counts, leftOut, matched)
    }
    return this.#options.matcher(matched)
  }

  async #applyStep(
    { writer, attempt, fold }: Work,
    step: EventStep,
    counts: Counted,
    leftOut: AsidePart | undefined,
    matched: MatchedEvent[],
  ): Promise<void> {
    const { id, added, removed } = step
    const removal = removed && removalOf(removed.message, removed.id)
    if (removed) {
      const neverAdded = await attempt.forgetAdded(writer, [removed.id])
      if (removal && counts.removal(removal.id) && !neverAdded.has(removal.id)) {
        if (leftOut === 'removed') attempt.put('removed', id)
        else fold.remove(removal)
      }
    }
    let ended: Removal[] = []
    if (added && leftOut === 'added') attempt.put('added', id)
    else if (added) {
      const contribution = contributionOf(added, id)
      if (contribution && counts.additions) fold.add(contribution)
      const compact = compactFollowsOf(added)
      if (compact) ended = await fold.compact(compact, id)
    }
    const updated = updatedBy(step)
    for (const fid of updated) {
      if (leftOut === 'profile') attempt.put('profile', fid)
      else fold.render(fid)
    }
    if (leftOut === 'webhooks') attempt.put('webhooks', id)
    else {
      const gone = ended.map(followMessage)
      matched.push({
        ...{ id, added, registered: step.registered, updated },
        removed: removed ? [removed.message, ...gone] : gone,
      })
    }
  }

  /**
   * One part of a build: stored messages in the order of their ids up to the position in the log, and then all
   * events after it. A removal counts when its message was scanned; an addition is ignored, because the scan
   * will meet it, until the scan has reached the position.
   */
  async #buildMore(
    writer: ViewWriter,
    attempt: Attempt,
    position: ViewPosition,
    build: ViewBuild,
    log: LogState,
    early: readonly StoredEvent[],
  ): Promise<Result> {
    const { storage } = this.#options
    const limits = this.#limits
    const work = { writer, attempt, fold: new Fold(writer, storage) }
    const { fold } = work
    const isBehind =
      early.length > 0 && eventTime(log.newestId) - eventTime(early.at(-1)!.id) > FAR_BEHIND_MS
    // After a failure the events are read alone, too: it is one of them or one of the messages.
    if (isBehind || (early.length > 0 && this.#share < 1)) {
      const { cursor, events } = await this.#apply(work, position.cursor, early, {
        additions: false,
        removal: (id) => id <= build.scanned,
      })
      await this.#putPosition(work, { ...position, cursor })
      const newestId = Math.max(log.newestId, cursor)
      return this.#building({ cursor, newestId, events, build })
    }
    const { ids, to, isLast } = await this.#scan(work, build.scanned, position.cursor)
    // Read after the messages: it tells of everything that was removed before they were read.
    const events: StoredEvent[] = []
    for (let after = position.cursor; ; ) {
      const found = await storage.events.list(after + 1, limits.events, limits.bytes)
      if (found.length === 0) break
      events.push(...found)
      after = found.at(-1)!.id
      position = { ...position, cursor: after }
    }
    const addedIds = new Set(
      isLast ? events.flatMap((one) => (stepOf(one)?.added ? [one.id] : [])) : [],
    )
    const deliveries = await this.#applyEvents(work, events, {
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
    await this.#putPosition(work, { ...position, build: next })
    const { cursor } = position
    const newestId = Math.max(log.newestId, cursor)
    return this.#building({ cursor, newestId, events: events.length, build: next })
  }

  /**
   * Adds stored messages to the fold: those with ids after `after` and up to `last`, as many as fit into a transaction. They
   * are read in portions, and only the fold's own data about them stays in memory.
   */
  async #scan({ fold, attempt }: Work, after: number, last: number): Promise<Scan> {
    const { messages, messageBytes } = this.#limits
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
        if (attempt.begin({ kind: 'message', id: row.id })) {
          attempt.put('added', row.id)
          continue
        }
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
    attempt: Attempt,
    position: ViewPosition,
    build: ViewBuild,
    log: LogState,
  ): Promise<Result> {
    const { storage } = this.#options
    const { profiles } = this.#limits
    const fids = await storage.accounts.fidsAfter(build.rendered ?? 0, profiles)
    const work = { writer, attempt, fold: new Fold(writer, storage) }
    for (const fid of fids) {
      if (attempt.begin({ kind: 'profile', id: fid })) attempt.put('profile', fid)
      else work.fold.render(fid)
    }
    await work.fold.flush()
    if (fids.length < profiles) {
      const { build: _, ...ready } = position
      await this.#putPosition(work, ready)
      return { ...NOTHING, cursor: position.cursor, newestId: log.newestId, hasMore: true }
    }
    const next = { ...build, rendered: fids.at(-1)! }
    await this.#putPosition(work, { ...position, build: next })
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
  }: Pick<Result, 'cursor' | 'newestId' | 'events'> & {
    build: ViewBuild
  }): Promise<Result> {
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

/** What a transaction works with. */
type Work = { readonly writer: ViewWriter; readonly attempt: Attempt; readonly fold: Fold }

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

/** How many builds have begun, given the position of the last one. */
const buildsUpTo = (stored: ViewPosition | undefined) =>
  stored ? (stored.earlierBuilds ?? 0) + 1 : 0

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
