import { backoffMs } from '../../base/backoff.ts'
import { parseDatabaseUrl, type TargetSession } from '../../base/database-url.ts'
import { CONFLICTS, type PostgresTimeouts, readerOn, sqlState } from './postgres.ts'
import { ConnectionPool } from './postgres-pool.ts'
import type { Sql } from './sql.ts'
import { StoreUnavailable } from './unavailable.ts'

type ReplicaOptions = PostgresTimeouts & {
  /** Connections of a process to each of the hosts. */
  readonly readConnections: number
  /** A host that shows the state of longer ago is not read from. */
  readonly maxLagMs: number
}

/** One host of `DATABASE_READ_URL`, for operators. */
export type ReplicaStatus = {
  /** Host and port. */
  readonly host: string
  readonly isUsed: boolean
  /** Seconds behind the primary when last asked; undefined while it could not be asked. */
  readonly lagSeconds: number | undefined
  /** Why it is not used. */
  readonly fault: string | undefined
}

export type Replicas = {
  /**
   * Answers a read from one of the hosts that are in order. Throws `StoreUnavailable` when there is
   * none, or when the host cannot answer; then it is left alone for a while.
   */
  readonly sql: Sql
  /**
   * The host whose turn it is among those in order; undefined when there is none. All reads of it are of one server, and fail
   * as those of `sql` do.
   */
  next(): Sql | undefined
  status(): ReplicaStatus[]
  close(): Promise<void>
}

const LAG_CHECK_MS = 1_000
/** A read that takes longer is asked of the primary. */
const MAX_STATEMENT_MS = 5_000
const BACKOFF = { firstMs: 1_000, maxMs: 30_000 }

/**
 * The leader renews its lease every few seconds, so a standby that receives and applies what the primary
 * writes has always applied a recent transaction. One that has applied none since its start does not say
 * how old its state is. A primary is never behind.
 */
const LAG = `select case when not pg_is_in_recovery() then 0
  else cast(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000 as bigint)
  end as lag_ms`

/** Reads from the hosts of `text` in turn. Connects when the first read comes. */
export function openReplicas(text: string, options: ReplicaOptions): Replicas {
  const { hosts, target } = parseDatabaseUrl(text, 'any')
  const replicas = hosts.map((host) => new Replica(host, target, options))
  let next = 0

  const nextInOrder = (): Sql | undefined => {
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[(next + i) % replicas.length]!
      if (!replica.mayBeAsked()) continue
      next = (next + i + 1) % replicas.length
      return replica
    }
    return undefined
  }
  const inOrder = (): Sql => {
    const replica = nextInOrder()
    if (replica) return replica
    throw new StoreUnavailable('unreachable', 'no replica of the database is in order')
  }
  return {
    sql: {
      all: async (...query) => inOrder().all(...query),
      each: async (...query) => inOrder().each(...query),
      bundled: async (...query) => inOrder().bundled(...query),
    },
    next: nextInOrder,
    status: () => replicas.map((replica) => replica.status()),
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()))
    },
  }
}

class Replica implements Sql {
  readonly #host: string
  readonly #pool: ConnectionPool
  readonly #sql: Sql
  readonly #maxLagMs: number
  /** Failures in a row; those that come together are one. */
  #failures = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #fault: string | undefined
  /** performance.now() before which it is left alone. */
  #retryAt = 0
  #lagMs: number | undefined
  #lagAskedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined

  constructor(url: string, target: TargetSession, options: ReplicaOptions) {
    const { readConnections, statementTimeoutMs, connectTimeoutMs, maxLagMs } = options
    const { preparesStatements } = options
    this.#host = new URL(url).host
    this.#maxLagMs = maxLagMs
    this.#pool = new ConnectionPool({
      url: { hosts: [url], target },
      maxConnections: readConnections,
      preparesStatements,
      statementTimeoutMs: Math.min(statementTimeoutMs, MAX_STATEMENT_MS),
      connectTimeoutMs,
    })
    this.#sql = readerOn(this.#pool)
  }

  /** Of a host that has failed, one request at a time finds out whether it is back. */
  mayBeAsked(): boolean {
    if (performance.now() < this.#retryAt) return false
    if (this.#failures > 0) this.#leaveAlone()
    return true
  }

  all: Sql['all'] = (...query) => this.#read(() => this.#sql.all(...query))
  each: Sql['each'] = (...query) => this.#read(() => this.#sql.each(...query))
  bundled: Sql['bundled'] = (...query) => this.#read(() => this.#sql.bundled(...query))

  async #read<T>(ask: () => Promise<T>): Promise<T> {
    try {
      await this.#checkLag()
      const result = await ask()
      this.#failures = 0
      this.#fault = undefined
      return result
    } catch (error) {
      // This query conflicted with replication; others do not.
      if (CONFLICTS.has(sqlState(error))) throw error
      this.#noteFailure(error as Error)
      if (error instanceof StoreUnavailable) throw error
      throw new StoreUnavailable('unreachable', `a replica failed: ${this.#fault}`, error)
    }
  }

  /** A page asks several things at once, which fail together. */
  #noteFailure({ message }: Error): void {
    this.#fault = message
    if (performance.now() - this.#failedAt < BACKOFF.firstMs / 2) return
    this.#failedAt = performance.now()
    this.#failures++
    this.#leaveAlone()
  }

  status(): ReplicaStatus {
    return {
      host: this.#host,
      isUsed: this.#fault === undefined,
      lagSeconds: this.#lagMs === undefined ? undefined : this.#lagMs / 1_000,
      fault: this.#fault,
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #leaveAlone(): void {
    this.#retryAt = performance.now() + backoffMs(BACKOFF, this.#failures)
  }

  /** All reads wait for the check when the last one is long ago; otherwise it runs beside them. */
  async #checkLag(): Promise<void> {
    const age = performance.now() - this.#lagAskedAt
    if (age >= LAG_CHECK_MS) {
      this.#checking ??= this.#askLag().finally(() => {
        this.#checking = undefined
      })
      // A rejection reaches the callers that wait, now or at the next check.
      this.#checking.catch(() => {})
      if (age >= 2 * LAG_CHECK_MS || this.#lagMs === undefined) await this.#checking
    }
    if (this.#lagMs! > this.#maxLagMs) {
      throw new StoreUnavailable('timeout', `the replica is ${this.#lagMs} ms behind`)
    }
  }

  async #askLag(): Promise<void> {
    try {
      const [row] = await this.#sql.all(LAG)
      this.#lagMs = row?.lag_ms === null ? Number.POSITIVE_INFINITY : Number(row?.lag_ms)
      this.#lagAskedAt = performance.now()
    } catch (error) {
      this.#lagMs = undefined
      throw error
    }
  }
}
