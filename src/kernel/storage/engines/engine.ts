import type { Caution } from './cautions.ts'
import type { SignalBus } from './signals.ts'
import type { Row, Sql, SqlValue } from './sql.ts'
import type { WordIndex } from './word-index.ts'

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
  /** For derived data: PostgreSQL waits for no disk, and a power cut may undo it. With `remote_apply` it does wait. */
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
  /** Bytes in use, without pages that deleted rows have left where that is known, and bytes that may still be used. */
  diskBytes(): Promise<{ readonly usedBytes: number; readonly freeBytes: number | undefined }>
  /** What about the database or its disk endangers the data. */
  cautions(): Promise<readonly Caution[]>
  close(): Promise<void>
}

/**
 * The same methods until `end` is called. Later statements would run outside of the transaction, for
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
      async bundled(select, parameters) {
        check()
        return sql.bundled(select, parameters)
      },
    },
    end() {
      isEnded = true
    },
  }
}
