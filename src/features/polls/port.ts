import { port } from '../../kernel/ports.ts'
import type { Writer } from '../../kernel/storage/storage.ts'

/** Runs in the transaction that deletes a poll, under the lock of the hub too. */
export type RecordRemoval = (tx: Writer, removed: KnownPoll) => Promise<void>

/** A poll, and who made it. */
export type KnownPoll = { readonly id: string; readonly fid: number }

export type PollsPort = {
  /** Deletes a poll, by its id or its address, and returns who made it. */
  readonly remove: (poll: string, record: RecordRemoval) => Promise<number>
  /** The first poll of this server among the addresses that a cast carries. */
  readonly among: (urls: readonly string[]) => Promise<KnownPoll | undefined>
  /** Deletes a poll in a transaction under the lock `poll/<id>`; throws a Rejection when it is gone. */
  readonly removeIn: (tx: Writer, id: string) => Promise<KnownPoll>
}

/** Polls of this server. */
export const POLLS = port<PollsPort>('polls')
