import { parseDatabaseUrl } from '../../base/database-url.ts'
import { databaseCautions } from './cautions.ts'
import { type Dialect, type Engine, type TransactionOptions, untilEnded } from './engine.ts'
import type { Connection, Statement } from './postgres-connection.ts'
import { ConnectionPool } from './postgres-pool.ts'
import { PostgresSignals } from './postgres-signals.ts'
import { writtenText } from './postgres-text.ts'
import { POSTGRES_WORDS } from './postgres-words.ts'
import type { InputColumns, InputRow, ListStatement, Row, Sql, SqlValue } from './sql.ts'
import { tellList, tellStatement } from './statements.ts'
import { StoreUnavailable } from './unavailable.ts'

export type PostgresLimits = PostgresTimeouts & {
  /** Connections of a process for reads; each carries any number of them at once. */
  readonly readConnections: number
  /** Connections of a process for transactions, one for each that is under way. */
  readonly writeConnections: number
}

export type PostgresTimeouts = {
  /** Whether statements have names under which the server keeps their plans. */
  readonly preparesStatements: boolean
  /** Time for a statement, waiting for a lock included; a transaction has four times as much. */
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs: number
}

export const DEFAULT_POSTGRES_LIMITS: PostgresLimits = {
  readConnections: 8,
  writeConnections: 8,
  preparesStatements: true,
  statementTimeoutMs: 30_000,
  connectTimeoutMs: 5_000,
}

const STATEMENTS_PER_TRANSACTION_TIMEOUT = 4
/** Attempts at a transaction that conflicts with another one, or whose connection was already dead. */
const MAX_ATTEMPTS = 5
/** serialization_failure and deadlock_detected: nothing was written, the same work may succeed now. */
export const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])
/**
 * feature_not_supported ("cached plan must not change result type", after a migration) and
 * invalid_sql_statement_name: the prepared statements of the connection are out of date.
 */
const STALE_STATEMENTS = new Set(['0A000', '26000'])

const IN_FAILED_TRANSACTION = '25P02'

/**
 * A connection keeps the plan of a statement. One that was made while a table had few rows would read all of them, for every
 * batch, until the table is analysed: for a minute or more after the first start.
 */
const BY_INDEXES = '; set local enable_seqscan = off'
/** Where a commit means that standbys show it, this holds for what is derived, too: readers are told when it is there. */
const UNFLUSHED = `; select set_config('synchronous_commit', 'off', true)
  where current_setting('synchronous_commit') <> 'remote_apply'`

const DIALECT: Dialect = {
  engine: 'postgres',
  bytes: 'bytea',
  rowKey: 'bigint primary key',
  clustered: '',
  covering: (columns) => `include (${columns})`,
  empty: (table) => `truncate ${table}`,
}

/**
 * Opens a store on PostgreSQL, or on a database that speaks its protocol. Only row locks inside transactions are
 * used, so any number of processes may share it. Throws an Error when the URL cannot be understood.
 */
export function openPostgres(text: string, limits: Partial<PostgresLimits> = {}): Engine {
  const { readConnections, writeConnections, ...timeouts } = {
    ...DEFAULT_POSTGRES_LIMITS,
    ...limits,
  }
  const url = parseDatabaseUrl(text)
  const readers = new ConnectionPool({ url, ...timeouts, maxConnections: readConnections })
  const writers = new ConnectionPool({ url, ...timeouts, maxConnections: writeConnections })
  const reads = readerOn(readers)
  const signalBus = new PostgresSignals({
    sql: reads,
    pool: new ConnectionPool({ url, ...timeouts, maxConnections: 1 }),
  })

  /** The server was demoted: its connections are of no use, and behind a pooler they live on. */
  const leaveServer = () => {
    writers.discardUnused()
    readers.discardUnused()
  }

  return {
    dialect: DIALECT,
    words: POSTGRES_WORDS,
    isExclusive: false,
    hasNarrowMessages: false,
    clock: 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now_ms',
    scannedPerLookup: 50,
    ...reads,
    signalBus,
    async transaction(work, options = {}) {
      for (let attempt = 1; ; attempt++) {
        const connection = await writers.lend()
        const transaction = new Transaction(connection, timeouts.statementTimeoutMs, options)
        try {
          return await transaction.run(work)
        } catch (error) {
          const isReadOnly = reasonOf(error) === 'read_only'
          if (isReadOnly) leaveServer()
          if (isReadOnly || STALE_STATEMENTS.has(sqlState(error))) writers.discard(connection)
          if (attempt === MAX_ATTEMPTS || !transaction.mayRunAgainAfter(error)) throw error
        } finally {
          writers.release(connection)
        }
      }
    },
    async ping() {
      const [row] = await reads.all(
        "select current_setting('transaction_read_only') as transaction_read_only",
      )
      if (row?.transaction_read_only !== 'off') {
        leaveServer()
        throw new StoreUnavailable('read_only', 'the database accepts no writes')
      }
    },
    async sizeBytes() {
      const [row] = await reads.all('select pg_database_size(current_database()) as size')
      return Number(row?.size ?? 0)
    },
    async diskBytes() {
      const [row] = await reads.all('select pg_database_size(current_database()) as size')
      return { usedBytes: Number(row?.size ?? 0), freeBytes: undefined }
    },
    cautions: () => databaseCautions(reads, { readConnections, writeConnections }),
    async close() {
      await signalBus.close()
      await writers.close()
      await readers.close()
    },
  }
}

/** Reads on shared connections. One is asked once more when its connection turns out to be dead or out of date. */
export const readerOn = (pool: ConnectionPool): Sql =>
  sqlOver(async (statement) => {
    const connection = await pool.share()
    try {
      return (await connection.query(statement)).rows
    } catch (error) {
      const isStale = STALE_STATEMENTS.has(sqlState(error))
      const isDead = connection.isLost && reasonOf(error) === 'unreachable'
      if (!isStale && !isDead) throw error
      pool.discard(connection)
      return (await (await pool.share()).query(statement)).rows
    }
  })

/** One attempt at a transaction, on a connection of its own. */
class Transaction {
  readonly #connection: Connection
  readonly #statementTimeoutMs: number
  readonly #options: TransactionOptions
  #hasBegun = false
  /** Of the first statement that failed. Those behind it fail because of it, and may be heard of before it. */
  #failure: unknown

  constructor(connection: Connection, statementTimeoutMs: number, options: TransactionOptions) {
    this.#connection = connection
    this.#statementTimeoutMs = statementTimeoutMs
    this.#options = options
  }

  async run<T>(work: (sql: Sql, opened: readonly Row[][]) => Promise<T>): Promise<T> {
    const connection = this.#connection
    const timer = this.#startTimer()
    const scope = untilEnded(sqlOver((statement) => this.#query(statement)))
    try {
      const opened = await this.#begin()
      const result = await work(scope.sql, opened)
      scope.end()
      const { command } = await connection.query({ text: 'commit' })
      // PostgreSQL answers so when a statement had failed and `work` did not pass the error on.
      if (command !== 'COMMIT') throw new Error('a transaction with a failed statement was ended')
      return result
    } catch (error) {
      scope.end()
      if (!connection.isLost && !connection.isIdle) {
        await connection.query({ text: 'rollback' }).catch(() => {})
      }
      throw sqlState(error) === IN_FAILED_TRANSACTION ? this.#failure : error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether the same work may be tried again: nothing of it is stored, and it may succeed now. */
  mayRunAgainAfter(error: unknown): boolean {
    const state = sqlState(error)
    if (CONFLICTS.has(state) || STALE_STATEMENTS.has(state)) return true
    return !this.#hasBegun && this.#connection.isLost && reasonOf(error) === 'unreachable'
  }

  /**
   * Limits are set for the transaction, not for the session, which a pooler may give to others. Without
   * the second one a machine that vanished would keep its locks until TCP gives up, after hours.
   */
  async #begin(): Promise<Row[][]> {
    const { isUnlimited, isDerived, opening = [] } = this.#options
    const timeoutMs = this.#statementTimeoutMs
    const begin = `begin isolation level read committed;
      set local statement_timeout = ${isUnlimited ? 0 : timeoutMs};
      set local idle_in_transaction_session_timeout = ${timeoutMs}
      ${this.#connection.hasPlanner && !isUnlimited ? BY_INDEXES : ''}
      ${isDerived ? UNFLUSHED : ''}`
    const [, ...opened] = await Promise.all([
      this.#query({ text: begin }),
      ...opening.map(({ text, parameters }) => this.#query(statementOf(text, parameters))),
    ])
    if (!this.#connection.isInTransaction) {
      throw new Error('the database or its connection pooler does not keep transactions open')
    }
    this.#hasBegun = true
    return opened
  }

  async #query(statement: Statement): Promise<Row[]> {
    try {
      const { rows } = await (this.#options.isUnlimited
        ? this.#connection.query(statement, 0)
        : this.#connection.query(statement))
      return rows
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  #startTimer(): NodeJS.Timeout | undefined {
    if (this.#options.isUnlimited) return undefined
    return setTimeout(() => {
      const text = 'a transaction took too long'
      this.#connection.destroy(new StoreUnavailable('timeout', text))
    }, this.#statementTimeoutMs * STATEMENTS_PER_TRANSACTION_TIMEOUT)
  }
}

/** The SQLSTATE of an error or of its cause. */
export const sqlState = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } }
  return code ?? cause?.code ?? ''
}

const reasonOf = (error: unknown) => (error instanceof StoreUnavailable ? error.reason : undefined)

function sqlOver(run: (statement: Statement) => Promise<Row[]>): Sql {
  return {
    async all(text, parameters) {
      return run(statementOf(text, parameters))
    },
    async each<C extends InputColumns>(
      statement: ListStatement<C>,
      rows: readonly InputRow<C>[],
    ): Promise<Row[]> {
      if (rows.length === 0) return []
      tellList('postgres', statement, rows)
      const values = Object.keys(statement.columns).map((column) =>
        rows.map((row) => written((row as Row)[column] ?? null)),
      )
      return run({ ...prepared(listText(statement)), values })
    },
    // As one value they would take less time here, and as much more in the database.
    async bundled({ text }, parameters) {
      return run(statementOf(text, parameters))
    },
  }
}

function statementOf(text: string, parameters: readonly SqlValue[] = []): Statement {
  tellStatement('postgres', text, parameters)
  return { ...prepared(numbered(text)), values: parameters.map(written) }
}

const written = (value: SqlValue): SqlValue =>
  typeof value === 'string' ? writtenText(value) : value

const preparedStatements = new Map<string, { text: string; name: string }>()

/** There are few texts: they depend on which filters a caller gives, never on values. */
function prepared(text: string): { text: string; name: string } {
  let statement = preparedStatements.get(text)
  if (!statement) {
    statement = { text, name: `rookery_${preparedStatements.size + 1}` }
    preparedStatements.set(text, statement)
  }
  return statement
}

const numberedTexts = new Map<string, string>()

/** `?` becomes `$1`, `$2`, ... in order of appearance. */
function numbered(text: string): string {
  let result = numberedTexts.get(text)
  if (result === undefined) {
    let count = 0
    result = text.replace(/\?/g, () => `$${++count}`)
    numberedTexts.set(text, result)
  }
  return result
}

const listTexts = new Map<ListStatement, string>()

function listText(statement: ListStatement): string {
  let text = listTexts.get(statement)
  if (text === undefined) {
    const columns = Object.keys(statement.columns)
    const arrays = columns.map((column, i) => `$${i + 1}::${statement.columns[column]}[]`)
    const source = `select * from unnest(${arrays.join(', ')})`
    text = `with recursive input(${columns.join(', ')}) as (${source}) ${statement.text}`
    listTexts.set(statement, text)
  }
  return text
}
