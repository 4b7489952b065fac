import type { Locks } from './locks.ts'
import type { ReadsRows, WritesRows } from './rows.ts'

/** A secret in a row, which a key of the server seals. */
export type SealedSecret = {
  readonly id: string
  readonly secret: Uint8Array
  /** What the secret is bound to, so that no other row can have it. */
  readonly owner: readonly Uint8Array[]
}

export type SealedRows = {
  /** Those after an id, in the order of their ids. */
  read(storage: ReadsRows, after: string, limit: number): Promise<SealedSecret[]>
  /** Gives secrets up that cannot be opened any more. */
  giveUp(storage: WritableRows, ids: readonly string[]): Promise<void>
}

type WritableRows = ReadsRows & {
  write<T>(locks: Locks, work: (tx: WritesRows) => Promise<T>): Promise<T>
}
