import type pg from 'pg'
import type { TargetSession } from '../../base/database-url.ts'
import { readText } from './postgres-text.ts'
import type { Row } from './sql.ts'
import { StoreUnavailable, unavailableReason } from './unavailable.ts'

export type ConnectionOptions = {
  /** Servers that may be connected to; the others are refused with `read_only` or `unreachable`. */
  readonly target: TargetSession
  /** Time for TCP, TLS, authentication and the first statement together. */
  readonly connectTimeoutMs: number
  /** Time for each statement; the server cancels it, and a little later the connection is closed. */
  readonly statementTimeoutMs: number
  /** Some poolers do not know prepared statements; then each statement is planned anew. */
  readonly preparesStatements: boolean
}

/** A statement with its values; `name` is that of its prepared statement, the same for one text always. */
export type Statement = {
  readonly text: string
  readonly name?: string
  readonly values?: unknown[]
}

/** The server's own statement timeout answers first, with an error that leaves the connection usable. */
const GRACE_MS = 1_000
/** TCP keep-alive, to notice dead peers of idle connections. */
const KEEP_ALIVE_MS = 10_000
const INT8_OID = 20
const TEXT_OID = 25

/**
 * Statements read few rows and run many times a second: starting parallel workers or compiling costs more than it
 * saves, and the planner chooses both when it guesses too many rows. Other engines that speak PostgreSQL's protocol
 * do not have these settings.
 */
const SHORT_STATEMENTS = `select set_config(name, value, false)
  from (values ('max_parallel_workers_per_gather', '0'), ('jit', 'off')) as wanted (name, value)
  where name in (select name from pg_settings)`

/** The database would lose acknowledged writes, or cannot store every text. `mend` says what the administrator must do. */
export class UnsafeDatabaseError extends Error {
  readonly found: string
  readonly mend: string

  constructor(found: string, mend: string) {
    super(`${found}. ${mend}`)
    this.found = found
    this.mend = mend
  }
}

/**
 * One connection, for its whole life: when it is lost, everything asked of it fails, and so does
 * everything asked later. It never reconnects, so that no statement of a transaction can run outside of it.
 * Statements are sent at once and answered in order.
 */
export class Connection {
  readonly #client: pg.Client
  readonly #options: ConnectionOptions
  #lost: StoreUnavailable | undefined
  #pending = 0
  /** By performance.now: the last answer, and since when it owes one; when it was lost, since when it is of no use. */
  #answeredAt = 0
  #silentSince = 0
  #hasPlanner = false
  readonly #lostSignal = Promise.withResolvers<void>()
  #isHeldBack = false
  #processId: number | undefined

  private constructor(client: pg.Client, options: ConnectionOptions) {
    this.#client = client
    this.#options = options
    client.on('error', (error) => this.#lose(error))
    client.on('end', () => this.#lose())
    client.connection.on('backendKeyData', ({ processID }: { processID: number }) => {
      this.#processId = processID
    })
  }

  /** Connects and checks the server. Throws `StoreUnavailable` or `UnsafeDatabaseError`. */
  static async open(url: string, options: ConnectionOptions): Promise<Connection> {
    // The embedded store and its threads do without the library.
    const { Client, types } = (await import('pg')).default
    const client = new Client({
      connectionString: url,
      application_name: 'rookery',
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: { getTypeParser: typeParserWith(types.getTypeParser) },
    })
    const connection = new Connection(client, options)
    const timer = setTimeout(() => {
      connection.destroy(
        new StoreUnavailable('timeout', 'the database did not accept a connection in time'),
      )
    }, options.connectTimeoutMs)
    try {
      await client.connect()
      await connection.#prepareSession()
      return connection
    } catch (error) {
      const reason = connection.#lost ?? error
      connection.destroy(new StoreUnavailable('unreachable', 'the connection was refused'))
      if (reason instanceof StoreUnavailable || reason instanceof UnsafeDatabaseError) throw reason
      const message = `the database cannot be reached: ${messageOf(reason)}`
      throw new StoreUnavailable(unavailableReason(reason) ?? 'unreachable', message, reason)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether nothing can be asked of it any more. */
  get isLost(): boolean {
    return this.#lost !== undefined
  }

  /** Resolves when the connection is lost. */
  get lost(): Promise<void> {
    return this.#lostSignal.promise
  }

  /** The process that the server named when it was connected to. A pooler names one of its own. */
  get processId(): number | undefined {
    return this.#processId
  }

  /** Calls `listener` with the text of each notification of the channels that the session listens to. */
  onNotification(listener: (text: string | undefined) => void): void {
    this.#client.on('notification', ({ payload }) => listener(payload))
  }

  /** Whether the server knows PostgreSQL's planner settings, such as enable_seqscan; compatible databases may not. */
  get hasPlanner(): boolean {
    return this.#hasPlanner
  }

  /** Statements sent and not answered. */
  get pending(): number {
    return this.#pending
  }

  /** performance.now() of its last answer. */
  get answeredAt(): number {
    return this.#answeredAt
  }

  /** Of a lost connection: performance.now() after which nothing was heard of its server. */
  get silentSince(): number {
    return this.#silentSince
  }

  /** Whether the server has a transaction open that has not failed. */
  get isInTransaction(): boolean {
    return this.#client.getTransactionStatus() === 'T'
  }

  /** Whether the server waits for the next statement outside of any transaction. */
  get isIdle(): boolean {
    return this.#lost === undefined && this.#client.getTransactionStatus() === 'I'
  }

  /** Throws `StoreUnavailable` when the connection is lost or `timeoutMs` pass (0: no limit). */
  async query(
    statement: Statement,
    timeoutMs = this.#options.statementTimeoutMs + GRACE_MS,
  ): Promise<pg.QueryResult<Row>> {
    if (this.#lost) throw this.#lost
    const timer =
      timeoutMs > 0
        ? setTimeout(() => {
            this.destroy(
              new StoreUnavailable('timeout', `the database did not answer in ${timeoutMs} ms`),
            )
          }, timeoutMs)
        : undefined
    if (this.#pending++ === 0) this.#silentSince = performance.now()
    this.#holdBack()
    try {
      const { text, values, name } = statement
      const result = await this.#client.query<Row>({
        text,
        values,
        ...(this.#options.preparesStatements && { name }),
      })
      this.#answeredAt = this.#silentSince = performance.now()
      return result
    } catch (error) {
      // The server ends the connection after an error of this severity.
      if (/^(FATAL|PANIC)$/.test((error as pg.DatabaseError).severity ?? '')) {
        this.#lose(error as Error)
      }
      throw this.#lost ?? translated(error)
    } finally {
      this.#pending--
      clearTimeout(timer)
    }
  }

  /** Ends it at once; what is under way fails with this error. */
  destroy(reason: StoreUnavailable): void {
    this.#setLost(reason)
    this.#client.connection.stream.destroy()
  }

  /** Closes it once its statements under way are answered, or when this time has passed. */
  async end(timeoutMs: number): Promise<void> {
    const timer = setTimeout(
      () => this.destroy(new StoreUnavailable('timeout', 'the connection did not close in time')),
      timeoutMs,
    )
    await this.#client.end().catch(() => {})
    clearTimeout(timer)
  }

  /** Statements of one turn of the event loop are one write here, and one read at the server. */
  #holdBack(): void {
    if (this.#isHeldBack) return
    this.#isHeldBack = true
    const { stream } = this.#client.connection
    stream.cork()
    setImmediate(() => {
      this.#isHeldBack = false
      stream.uncork()
    })
  }

  #lose(error?: Error): void {
    const reason = (error && unavailableReason(error)) ?? 'unreachable'
    const text = `the connection to the database was lost${error ? `: ${messageOf(error)}` : ''}`
    this.#setLost(new StoreUnavailable(reason, text, error))
  }

  #setLost(reason: StoreUnavailable): void {
    if (this.#lost) return
    this.#lost = reason
    if (this.#pending === 0) this.#silentSince = performance.now()
    this.#lostSignal.resolve()
  }

  /** `set`, not start-up parameters: poolers like pgbouncer refuse those that they do not know. */
  async #prepareSession(): Promise<void> {
    const { statementTimeoutMs, target } = this.#options
    const [, state, settings] = await Promise.all([
      this.query({ text: `set statement_timeout = ${statementTimeoutMs}` }),
      this.query({
        text: `select current_setting('synchronous_commit') as synchronous_commit,
          current_setting('server_encoding') as encoding, current_database() as name, current_user as owner,
          case when pg_is_in_recovery() then 1 else 0 end as standby, current_setting('transaction_read_only') as read_only`,
      }),
      this.query({ text: SHORT_STATEMENTS }),
    ])
    const { synchronous_commit, encoding, name, owner, standby, read_only } = state.rows[0]!
    this.#hasPlanner = settings.rows.length > 0
    if (synchronous_commit === 'off') {
      throw new UnsafeDatabaseError(
        'The database has synchronous_commit = off: it would confirm writes that a crash can undo',
        'Set it to on, remote_apply, remote_write or local for this database or user.',
      )
    }
    if (encoding !== 'UTF8') throw wrongEncoding(String(encoding), String(name), String(owner))
    const accepted = {
      any: true,
      'read-write': read_only === 'off',
      'read-only': read_only === 'on',
      primary: standby === 0,
      standby: standby === 1,
    }
    if (!accepted[target]) {
      throw new StoreUnavailable('read_only', `the database is not ${target}`)
    }
  }
}

/** An encoding is chosen when a database is made. With the locale C it does not depend on those of the machine. */
function wrongEncoding(encoding: string, name: string, owner: string): UnsafeDatabaseError {
  const quoted = (identifier: string) => `"${identifier.replaceAll('"', '""')}"`
  return new UnsafeDatabaseError(
    `The database ${quoted(name)} has the encoding ${encoding}, which cannot store every text; Rookery needs UTF8`,
    `Make another one with: CREATE DATABASE ${quoted(`${name}_utf8`)} OWNER ${quoted(owner)} ENCODING 'UTF8' ` +
      "LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0; and name it in DATABASE_URL. docs/postgresql.md says how to " +
      'copy what is in this one.',
  )
}

type Parser = (text: string) => number | string

/** Integers of 64 bits as numbers: all of ours are below 2^53. Text with its NUL characters. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8_OID, Number],
  [TEXT_OID, readText],
])

const typeParserWith = (own: typeof pg.types.getTypeParser) =>
  ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && PARSERS.get(oid)) || own(oid, format as 'text')) as typeof own

function translated(error: unknown): unknown {
  const reason = unavailableReason(error)
  return reason ? new StoreUnavailable(reason, messageOf(error), error) : error
}

const messageOf = (error: unknown) =>
  error instanceof Error ? error.message || String(error.cause ?? error.name) : String(error)
