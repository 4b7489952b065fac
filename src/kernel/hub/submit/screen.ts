import type { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import type { Candidate } from './candidate.ts'

/**
 * Looks at messages that are sent to this hub, in the transaction that stores them. It reads what it compares them with while the state is
 * read, so that nobody waits for one more answer of the database. Undefined: it has nothing to do with these messages.
 */
export type Screen = (
  tx: Writer,
  candidates: readonly Candidate[],
  terms: ScreenTerms,
) => Promise<Screening | undefined>

export type ScreenTerms = {
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Where browsers find this server, if it says so. */
  readonly publicUrl: string | undefined
  /** The names of the tables of the store: it has those of features that are there. */
  readonly tables: ReadonlySet<string>
}

export type Screening = {
  /** Throws a Rejection for a message that its author may not send now. Called last of all checks. */
  admit?(candidate: Candidate): void
  /** Looks at those that were stored. It may hide some, and appends the events about that. */
  stored?(log: EventLog, merged: readonly Candidate[]): Promise<void>
}
