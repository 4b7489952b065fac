// The three verbs of SQL that an engine is. Everything else in storage/ is written in them, in the
// SQL that SQLite and PostgreSQL both understand: `?` for parameters, `input` for a list of rows, and
// words such as BYTES for what the two call differently:
//   BYTES         the type of byte strings
//   HASH_KEY      the column of a message that orders it in its second like its hash, and that indexes contain
//   SIGNER_OF(m)  the key of the signer of a message
//   OPAQUE(?)     a number that the planner does not see: it plans once for all values, also where one seems cheaper

import type { SignalBus } from './signals.ts'

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

/** Replaces the words above by what this engine calls them. SQLite has a column HASH_KEY. */
export const inWordsOf = (engine: EngineName, text: string): string =>
  engine === 'sqlite'
    ? text
        .replaceAll('BYTES', 'blob')
        .replaceAll(OPAQUE, '?')
        .replace(BOUND_LIMIT, 'limit ($1 + 0)')
        .replace(
          SIGNER_OF,
          'coalesce((select k.key from signer_key k where k.id = $1.signer), $1.signer)',
        )
    : text
        .replaceAll('BYTES', 'bytea')
        .replaceAll(OPAQUE, '(select cast(? as bigint))')
        .replaceAll('HASH_KEY', 'hash')
        .replace(SIGNER_OF, '$1.signer')

const OPAQUE = 'OPAQUE(?)'
// SQLite looks at the value of a bare limit when it plans, so it plans anew for each execution: 35 to 100 us of a page.
// It does not look into an expression.
const BOUND_LIMIT = /\blimit (\?\d*)/g
// On the embedded store a signer is a number, or in rows of earlier versions the key itself, which is no number of a key.
const SIGNER_OF = /\bSIGNER_OF\((\w+)\)/g

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
}

export type EngineName = 'sqlite' | 'postgres'

/** An engine: reads see only what is committed; `transaction` is atomic and flushed. */
export interface Engine extends Sql {
  readonly kind: EngineName
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
