import type { StoredEvent } from '../storage/messages/events.ts'
import type { Storage } from '../storage/storage.ts'
import type { ViewWriter } from '../storage/views/view-writer.ts'
import type { SetAside, ViewPosition } from '../storage/views/views.ts'
import type { Attempt } from './attempt.ts'
import type { Fold } from './fold.ts'
import type { Matcher } from './matcher.ts'

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

/** Events that are in memory at a time. With all events of a transaction in memory, V8's collector copied them twice. */
export const PORTION_EVENTS = 256

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
  readonly newlySetAside: readonly SetAside[]
}
/** The same without what the attempt counts. */
export type Result = Omit<IndexerStep, 'earlierBuilds' | 'setAside' | 'newlySetAside'>

export const NOTHING = { events: 0, ratio: undefined, hasMore: false, isLeftToOthers: false }

export type WorkSources = {
  readonly storage: Pick<Storage, 'events' | 'messages' | 'accounts'>
  readonly matcher: Matcher
}

/** What a transaction works with. */
export type Work = WorkSources & {
  readonly limits: IndexerBounds
  readonly writer: ViewWriter
  readonly attempt: Attempt
  readonly fold: Fold
  /** Whether a transaction has failed lately, so that this one does a part of the work. */
  readonly isNarrowed: boolean
}

/** Reads the next portion of at most `limit` events. Its bound in bytes is its share of the bound of a transaction. */
export function portionAfter(
  { storage, limits }: Pick<Work, 'storage' | 'limits'>,
  cursor: number,
  limit: number,
): Promise<StoredEvent[]> {
  const { events, bytes } = limits
  const count = Math.min(limit, PORTION_EVENTS)
  return storage.events.list(cursor + 1, count, Math.ceil((bytes * count) / events))
}

/** Writes what was set aside, and the position with their number. */
export async function putPosition(
  { writer, attempt }: Work,
  position: ViewPosition,
): Promise<void> {
  const { setAside: _, ...rest } = position
  const setAside = await attempt.save(writer)
  await writer.putPosition({ ...rest, ...(setAside > 0 && { setAside }) })
}
