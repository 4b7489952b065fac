import { port } from '../../kernel/ports.ts'
import type { Writer } from '../../kernel/storage/storage.ts'

/** Runs in the transaction that deletes a poll, under the lock of the hub too. */
export type RecordRemoval = (
  tx: Writer,
  removed: { readonly id: string; readonly fid: number },
) => Promise<void>

export type PollsPort = {
  /** Deletes a poll, by its id or its address, and returns who made it. */
  readonly remove: (poll: string, record: RecordRemoval) => Promise<number>
}

/** Polls of this server. */
export const POLLS = port<PollsPort>('polls')
