import { port } from '../../kernel/ports.ts'
import type { Writer } from '../../kernel/storage/storage.ts'

export type PollsPort = {
  /** Deletes a poll and returns who made it. `record` runs in its transaction. */
  readonly remove: (
    id: string,
    record: (tx: Writer, creatorFid: number) => Promise<void>,
  ) => Promise<number>
}

/** Polls of this server. */
export const POLLS = port<PollsPort>('polls')
