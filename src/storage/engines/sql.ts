// What an engine is: SQLite in a file, or a PostgreSQL server. Everything else in storage/ is written in the SQL that both
// understand, with `?` for parameters. A limit is `limit (? + 0)`: SQLite's planner looks at the value of a bare parameter
// and plans again for each execution; it does not look into an expression.

import type { SignalBus } from './signals.ts'
import type { WordIndex } from './word-index.ts'

export type SqlValue = number | string | Uint8Array | null
export type Row = Record<string, SqlValue>

/** Column types of an `input` list, by PostgreSQL's names (SQLite needs none). */
export type InputColumns = Readonly<Record<string, 'bigint' | 'bytea' | 'text'>>

/**
 * A statement that runs once for a whole list of rows. Its text reads them from a table called
 * `input` with these columns: `select m.* from input i join message m on m.id = i.id`.
 * PostgreSQL gets one statement with array parameters; SQLite runs a prepared one row by row, so the
 * text must mean the same either way: no aggregate or limit across the rows of `input`, unless its rows are one number
 * each, which SQLite gets all at once.
 */
export type ListStatement<C extends InputColumns = InputColumns> = {
  readonly columns: C
  readonly text: string
  /**
   * The same for one row, whose values are the parameters. SQLite runs it for each row, in a half to a quarter of the time:
   * a write that selects its row may be of many rows, so SQLite keeps a journal of the statement.
   */
  readonly rowText?: string
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

/**
 * Inserts the rows of a list. `also` gives columns that the list does not have a number, or the value of one that it has;
 * `rest` is what follows the values, such as `on conflict`.
 */
export function insertStatement<const C extends InputColumns>(
  table: string,
  columns: C,
  { also = {}, rest = '' }: { also?: Record<string, number | string>; rest?: string } = {},
): ListStatement<C> {
  const names = Object.keys(columns)
  const others = Object.values(also)
  const into = `insert into ${table} (${[...names, ...Object.keys(also)].join(', ')})`
  const values = [...names, ...others].map((value) =>
    typeof value === 'number' ? value : `?${names.indexOf(value) + 1}`,
  )
  return {
    columns,
    text: `${into} select ${[...names, ...others].join(', ')} from input where true ${rest}`,
    rowText: `${into} values (${values.join(', ')}) ${rest}`,
  }
}

/** Updates rows of a table by those of a list, of which both functions get the names of the values. */
export function updateStatement<const C extends InputColumns>(
  table: string,
  columns: C,
  set: (input: Record<keyof C, string>) => string,
  where: (input: Record<keyof C, string>) => string,
): ListStatement<C> {
  const named = (nameOf: (column: string, index: number) => string) =>
    Object.fromEntries(
      Object.keys(columns).map((column, i) => [column, nameOf(column, i)]),
    ) as Record<keyof C, string>
  const listed = named((column) => `i.${column}`)
  const given = named((_, i) => `?${i + 1}`)
  return {
    columns,
    text: `update ${table} set ${set(listed)} from input i where ${where(listed)}`,
    rowText: `update ${table} set ${set(given)} where ${where(given)}`,
  }
}

/** Rows come back as plain objects: integers as numbers (all are below 2^53), bytes as Uint8Array. */
export interface Sql {
  all(text: string, parameters?: readonly SqlValue[]): Promise<Row[]>
  each<C extends InputColumns>(
    statement: ListStatement<C>,
    rows: readonly InputRow<C>[],
  ): Promise<Row[]>
}

/** A read that is sent together with the start of a transaction. */
export type OpeningQuery = { readonly text: string; readonly parameters?: readonly SqlValue[] }

export type TransactionOptions = {
  /**
   * Reads that run first, in order, each seeing what was committed before it began: `work` gets their
   * rows. They cost no round trip of their own.
   */
  readonly opening?: readonly OpeningQuery[]
  /** For work whose statements may take hours. */
  readonly isUnlimited?: boolean
  /** For derived data: PostgreSQL does not wait for the disk, and a power cut may undo it. */
  readonly isDerived?: boolean
}

export type EngineName = 'sqlite' | 'postgres'

/** What the engines call differently in the definition of a table. */
export type Dialect = {
  readonly engine: EngineName
  readonly bytes: 'blob' | 'bytea'
  /** The type of an integer primary key that grows. */
  readonly rowKey: string
  /** Follows the definition of a table whose rows are in its primary key. */
  readonly clustered: string
  /** Follows the columns of an index: further ones that lists read from it. */
  readonly covering: (columns: string) => string
  /** Deletes all rows of a table. */
  readonly empty: (table: string) => string
}

/** An engine: reads see only what is committed; `transaction` is atomic and flushed. */
export interface Engine extends Sql {
  readonly dialect: Dialect
  /** The full-text index. */
  readonly words: WordIndex
  /** Whether one process alone has the data and runs one transaction at a time, so that no row needs a lock. */
  readonly isExclusive: boolean
  /** Whether rows of messages leave out what the table computes: see messages/narrow-messages.ts. */
  readonly hasNarrowMessages: boolean
  /** A statement that reads the clock of the server as `now_ms`; undefined where it is the clock of this machine. */
  readonly clock?: string
  /** Rows that a scan of an index passes in the time of one lookup. */
  readonly scannedPerLookup: number
  /**
   * Runs `work` in a transaction. On SQLite one at a time; on PostgreSQL at isolation level read
   * committed, and again when it could not be serialised. Statements asked for after `work` has ended
   * are refused. Throws `StoreUnavailable` when the database cannot do it now.
   */
  transaction<T>(
    work: (sql: Sql, opened: readonly Row[][]) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /** Signals between the processes that share the database; undefined when only one can use it. */
  readonly signalBus?: SignalBus
  /** Throws `StoreUnavailable` unless the database answers and is no standby. */
  ping(): Promise<void>
  /** Bytes the database occupies on disk, indexes included. */
  sizeBytes(): Promise<number>
  close(): Promise<void>
}

/**
 * The same verbs until `end` is called. What is asked later would run outside of the transaction, for
 * instance by a branch that went on after another one had failed.
 */
export function untilEnded(sql: Sql): { sql: Sql; end(): void } {
  let isEnded = false
  const check = () => {
    if (isEnded) throw new Error('a statement was asked for after its transaction had ended')
  }
  return {
    sql: {
      async all(text, parameters) {
        check()
        return sql.all(text, parameters)
      },
      async each(statement, rows) {
        check()
        return sql.each(statement, rows)
      },
    },
    end() {
      isEnded = true
    },
  }
}
