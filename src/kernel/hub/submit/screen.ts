import type { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import type { Candidate } from './candidate.ts'

/**
 * Looks at messages that were sent to this hub and are stored now, in the transaction that stores them; `now` in Unix seconds. It may
 * hide some, and appends the events about that.
 */
export type Screen = (
  tx: Writer,
  log: EventLog,
  merged: readonly Candidate[],
  now: number,
) => Promise<void>
