import type { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import type { Candidate } from './candidate.ts'

/**
 * Looks at messages that are sent to this hub, in the transaction that stores them. It reads what it compares them with while the state is
 * read, so that nobody waits for one more answer of the database. What it returns, if anything may match, is called when they are stored.
 */
export type Screen = (
  tx: Writer,
  candidates: readonly Candidate[],
) => Promise<ScreenStored | undefined>

/** Looks at those that were stored; `now` in Unix seconds. It may hide some, and appends the events about that. */
export type ScreenStored = (
  log: EventLog,
  merged: readonly Candidate[],
  now: number,
) => Promise<void>
