// The three verbs of SQL that an engine is. Everything else in storage/ is written in them, in the
// SQL that SQLite and PostgreSQL both understand: `?` for parameters, `input` for a list of rows, and
// BYTES for the type of byte strings, which the two call differently.

export type SqlValue = number | string | Uint8Array | null
export type Row = Record<string, SqlValue>

/** Column types of an `input` list, by PostgreSQL's names (SQLite needs none). */
export type InputColumns = Readonly<Record<string, 'bigint' | 'bytea' | 'text'>>

/**
 * A statement that runs once for a whole list of rows. Its text reads them from a table called
 * `input` with these columns: `select m.* from input i join message m on m.id = i.id`.
 * PostgreSQL gets one statement with array parameters; SQLite runs a prepared one row by row, so the
 * text must mean the same either way: no aggregate or limit across the rows of `input`.
 */
export type ListStatement<C extends InputColumns = InputColumns> = {
  readonly columns: C
  readonly text: string
}

export type InputRow<C extends InputColumns> = {
  readonly [K in keyof C]: C[K] extends 'bigint'
    ? number | null
    : C[K] extends 'bytea'
      ? Uint8Array | null
      : string | null
}

export const listStatement = <const C extends InputColumns>(
  columns: C,
  text: string,
): ListStatement<C> => ({ columns, text })

/** The text with the engine's own word for byte strings. */
export const withBytesAs = (word: 'blob' | 'bytea', text: string): string =>
  text.replaceAll('BYTES', word)

/** Rows come back as plain objects: integers as numbers (all are below 2^53), bytes as Uint8Array. */
export interface Sql {
  all(text: string, parameters?: readonly SqlValue[]): Promise<Row[]>
  each<C extends InputColumns>(
    statement: ListStatement<C>,
    rows: readonly InputRow<C>[],
  ): Promise<Row[]>
}

/** An engine: reads see only what is committed; `transaction` is atomic, flushed, one at a time. */
export interface Engine extends Sql {
  readonly kind: 'sqlite' | 'postgres'
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Bytes the database occupies on disk, indexes included. */
  sizeBytes(): Promise<number>
  close(): Promise<void>
}
