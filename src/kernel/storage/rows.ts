import type { Topic } from './engines/signals.ts'
import type { Sql } from './engines/sql.ts'
import type { Changes } from './engines/versions.ts'

/** What the writes of a feature's tables are made with, in one transaction. */
export type WriterParts = {
  readonly sql: Sql
  /** Whom the transaction wakes up once it is committed. */
  readonly changes: Pick<Changes<Topic>, 'topics'>
}

/** The reads and the writes of a feature's tables: `Reader.of` and `Writer.of` give them. */
export type Rows<R, W extends R> = {
  readonly reader: (sql: Sql) => R
  readonly writer: (parts: WriterParts) => W
}

export const rowsOf = <R, W extends R>(
  reader: (sql: Sql) => R,
  writer: (parts: WriterParts) => W,
): Rows<R, W> => ({ reader, writer })

/** A store or a transaction, as far as it reads tables of features. */
export type ReadsRows = { of<R, W extends R>(rows: Rows<R, W>): R }

/** A transaction, as far as it writes tables of features. */
export type WritesRows = { of<R, W extends R>(rows: Rows<R, W>): W }

/** Makes the reads or writes of each feature once, when they are first asked for. */
export function madeOnce<Made>(make: (rows: Rows<unknown, unknown>) => Made) {
  const made = new Map<Rows<unknown, unknown>, Made>()
  return (rows: Rows<unknown, unknown>): Made => made.getOrInsertComputed(rows, () => make(rows))
}
