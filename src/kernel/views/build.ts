import { eventTime } from '../protocol/event-id.ts'
import type { LogState, StoredEvent } from '../storage/messages/events.ts'
import type { ViewWriter } from '../storage/views/view-writer.ts'
import type { ViewBuild, ViewPosition } from '../storage/views/views.ts'
import { applyEvents, applyPortions } from './apply-events.ts'
import { contributionOf } from './contribution.ts'
import { stepOf } from './event-steps.ts'
import { NOTHING, putPosition, type Result, type Work } from './indexer-work.ts'

// A build fills empty views: first from stored messages in the order of their ids, beside the events that arrive, and then with
// the profiles of all fids.

/** Messages that a build reads at a time. */
const SCAN_PORTION = 2_500
/** A build that is further behind applies events alone before it scans messages: a transaction then has few of both. */
const FAR_BEHIND_MS = 2_000
/** Share of the work of a build that profiles are. */
const PROFILE_SHARE = 0.1

/** The stored messages that one transaction of a build has read: their ids, the greatest id, and whether they were the last ones. */
type Scan = { readonly ids: ReadonlySet<number>; readonly to: number; readonly isLast: boolean }

export async function beginBuild(
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

/**
 * One part of a build: stored messages in the order of their ids up to the position in the log, and then all
 * events after it. A removal counts when its message was scanned; an addition is ignored, because the scan
 * will meet it, until the scan has reached the position.
 */
export async function buildMore(
  work: Work,
  position: ViewPosition,
  build: ViewBuild,
  log: LogState,
  early: readonly StoredEvent[],
): Promise<Result> {
  const isBehind =
    early.length > 0 && eventTime(log.newestId) - eventTime(early.at(-1)!.id) > FAR_BEHIND_MS
  // After a failure the events are read alone, too: it is one of them or one of the messages.
  if (isBehind || (early.length > 0 && work.isNarrowed)) {
    const { cursor, events } = await applyPortions(work, position.cursor, early, {
      additions: false,
      removal: (id) => id <= build.scanned,
    })
    await putPosition(work, { ...position, cursor })
    const newestId = Math.max(log.newestId, cursor)
    return building(work, { cursor, newestId, events, build })
  }
  const { ids, to, isLast } = await scan(work, build.scanned, position.cursor)
  // Read after the messages: they tell of everything that was removed before those were read.
  const events = await allEventsAfter(work, position.cursor)
  const cursor = events.at(-1)?.id ?? position.cursor
  const addedIds = new Set(
    isLast ? events.flatMap((one) => (stepOf(one)?.added ? [one.id] : [])) : [],
  )
  const deliveries = await applyEvents(work, events, {
    additions: isLast,
    removal: (id) => id <= build.scanned || ids.has(id) || addedIds.has(id),
  })
  await work.fold.flush()
  await work.writer.insertDeliveries(deliveries)
  const next: ViewBuild = {
    scanned: isLast ? cursor : to,
    messages: build.messages + ids.size,
    ...(isLast && { rendered: 0 }),
  }
  await putPosition(work, { ...position, cursor, build: next })
  const newestId = Math.max(log.newestId, cursor)
  return building(work, { cursor, newestId, events: events.length, build: next })
}

async function allEventsAfter({ storage, limits }: Work, cursor: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let after = cursor; ; ) {
    const found = await storage.events.list(after + 1, limits.events, limits.bytes)
    if (found.length === 0) return events
    events.push(...found)
    after = found.at(-1)!.id
  }
}

/**
 * Adds stored messages to the fold: those with ids after `after` and up to `last`, as many as fit into a transaction. They
 * are read in portions, and only the fold's own data about them stays in memory.
 */
async function scan(
  { storage, limits, fold, attempt }: Work,
  after: number,
  last: number,
): Promise<Scan> {
  const { messages, messageBytes } = limits
  const ids = new Set<number>()
  let to = after
  for (let bytes = 0; ids.size < messages && bytes < messageBytes; ) {
    const portion = Math.min(SCAN_PORTION, messages - ids.size)
    const found = await storage.messages.scan(to, portion)
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
export async function renderMore(
  work: Work,
  position: ViewPosition,
  build: ViewBuild,
  log: LogState,
): Promise<Result> {
  const { storage, attempt, fold } = work
  const { profiles } = work.limits
  const fids = await storage.accounts.fidsAfter(build.rendered ?? 0, profiles)
  for (const fid of fids) {
    if (attempt.begin({ kind: 'profile', id: fid })) attempt.put('profile', fid)
    else fold.render(fid)
  }
  await fold.flush()
  if (fids.length < profiles) {
    const { build: _, ...ready } = position
    await putPosition(work, ready)
    return { ...NOTHING, cursor: position.cursor, newestId: log.newestId, hasMore: true }
  }
  const next = { ...build, rendered: fids.at(-1)! }
  await putPosition(work, { ...position, build: next })
  return building(work, {
    cursor: position.cursor,
    newestId: log.newestId,
    events: 0,
    build: next,
  })
}

async function building(
  { storage }: Pick<Work, 'storage'>,
  {
    build,
    ...rest
  }: Pick<Result, 'cursor' | 'newestId' | 'events'> & { readonly build: ViewBuild },
): Promise<Result> {
  return { ...NOTHING, ...rest, ratio: await ratioOf(storage, build), hasMore: true }
}

/** The share of a build that is done. */
export async function ratioOf(
  storage: Work['storage'],
  { messages, rendered }: ViewBuild,
): Promise<number> {
  if (rendered === undefined) {
    const all = Math.max(1, await storage.messages.count())
    return Math.min(1, messages / all) * (1 - PROFILE_SHARE)
  }
  const newest = Math.max(1, await storage.accounts.newestFid())
  return 1 - PROFILE_SHARE + Math.min(1, rendered / newest) * PROFILE_SHARE
}
