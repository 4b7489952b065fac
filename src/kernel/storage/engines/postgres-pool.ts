import { setTimeout as sleep } from 'node:timers/promises'
import { firstResult } from '../../base/concurrency.ts'
import type { DatabaseUrl } from '../../base/database-url.ts'
import { Connection, type ConnectionOptions } from './postgres-connection.ts'
import { StoreUnavailable } from './unavailable.ts'

type PoolOptions = Omit<ConnectionOptions, 'target'> & {
  readonly url: DatabaseUrl
  readonly maxConnections: number
}

/** Transactions that may wait for a connection; more are refused at once. */
const MAX_WAITING = 10_000
/** A host that has not answered for this time may hang: the others are tried beside it, again and again. */
const PAUSE_MS = 1_000
/** Time that `close` gives to the statements and transactions under way. */
const CLOSE_TIMEOUT_MS = 5_000

type Waiting = { resolve(connection: Connection): void; reject(error: unknown): void }

/**
 * Connections to the first of several hosts that accepts them, opened when they are needed. Use one pool
 * either with `share` or with `lend`.
 */
export class ConnectionPool {
  readonly #options: PoolOptions
  readonly #all = new Set<Connection>()
  readonly #lent = new Set<Connection>()
  readonly #waiting: Waiting[] = []
  #opening = 0
  #lastOpening: Promise<Connection> | undefined
  /** The host that accepted the last connection. */
  #host = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /**
   * A connection that others use at the same time: an idle one, else the least busy one. While all are
   * busy another one is opened, up to the maximum.
   */
  async share(): Promise<Connection> {
    this.#checkOpen()
    let leastBusy: Connection | undefined
    for (const connection of this.#usable()) {
      if (!leastBusy || connection.pending < leastBusy.pending) leastBusy = connection
    }
    if (leastBusy?.pending === 0) return leastBusy
    if (this.#hasRoom()) {
      this.#lastOpening = this.#open()
      this.#lastOpening.catch(() => {})
    }
    return leastBusy ?? this.#lastOpening!
  }

  /**
   * A connection for one user, who gives it back with `release`. While all are lent it waits, at most as
   * long as connecting and one statement may take.
   */
  async lend(): Promise<Connection> {
    this.#checkOpen()
    for (const connection of this.#usable()) {
      if (!this.#lent.has(connection)) return this.#markLent(connection)
    }
    if (!this.#hasRoom()) return this.#wait()
    return this.#open((connection) => this.#markLent(connection))
  }

  /** Takes a lent connection back. One that is still in a transaction is closed. */
  release(connection: Connection): void {
    this.#lent.delete(connection)
    if (!connection.isIdle) this.discard(connection)
    this.#serveNext()
  }

  /**
   * Closes a connection that must not be used again, once its statements under way are answered. When it was lost its server
   * may hang or be replaced: the unused ones that have not answered since are closed too, and the next ones go to a server that
   * answers. Connections to a server that hangs are lost one after the other; if each took along those that were opened
   * meanwhile, they would be opened again and again, faster than a server ends the old ones.
   */
  discard(connection: Connection): void {
    this.#all.delete(connection)
    void connection.end(CLOSE_TIMEOUT_MS)
    if (connection.isLost) this.discardUnused(connection.silentSince)
  }

  /** Closes all connections that are not lent and have not answered since: the server is not the one to write to any more. */
  discardUnused(since = performance.now()): void {
    for (const connection of this.#all) {
      if (!this.#lent.has(connection) && connection.answeredAt < since) this.discard(connection)
    }
  }

  /** Refuses further users, waits for those it has for a few seconds, then closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#rejectWaiting(new StoreUnavailable('unreachable', 'the store is closed'))
    const deadline = performance.now() + CLOSE_TIMEOUT_MS
    while (this.#lent.size > 0 && performance.now() < deadline) await sleep(10)
    await Promise.all([...this.#all].map((connection) => connection.end(CLOSE_TIMEOUT_MS)))
    this.#all.clear()
  }

  #usable(): Iterable<Connection> {
    for (const connection of this.#all) if (connection.isLost) this.discard(connection)
    return this.#all
  }

  #hasRoom(): boolean {
    return this.#all.size + this.#opening < this.#options.maxConnections
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('unreachable', 'the store is closed')
  }

  #markLent(connection: Connection): Connection {
    this.#lent.add(connection)
    return connection
  }

  #wait(): Promise<Connection> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new StoreUnavailable('overloaded', 'too many transactions wait for a connection')
    }
    const { connectTimeoutMs, statementTimeoutMs } = this.#options
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(new StoreUnavailable('timeout', 'no connection to the database became free in time'))
      }, connectTimeoutMs + statementTimeoutMs)
      const waiting: Waiting = {
        resolve: (connection) => {
          clearTimeout(timer)
          resolve(connection)
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      this.#waiting.push(waiting)
    })
  }

  #serveNext(): void {
    const next = this.#waiting.shift()
    if (next) this.lend().then(next.resolve, next.reject)
  }

  #rejectWaiting(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  async #open(use = (connection: Connection) => connection): Promise<Connection> {
    this.#opening++
    try {
      const connection = await this.#connectToAny()
      if (this.#isClosed) void connection.end(CLOSE_TIMEOUT_MS)
      this.#checkOpen()
      this.#all.add(connection)
      return use(connection)
    } catch (error) {
      // No connection will be released that could serve them.
      if (this.#lent.size === 0) this.#rejectWaiting(error)
      throw error
    } finally {
      this.#opening--
    }
  }

  /** Tries each host once, beginning with the one that accepted last. One that hangs does not hold up the others. */
  async #connectToAny(): Promise<Connection> {
    const { url, ...options } = this.#options
    const { hosts, target } = url
    const inOrder = hosts.map((_, i) => (this.#host + i) % hosts.length)
    const attempts = inOrder.map((host) => async () => {
      const url = hosts[host]!
      const connection = await Connection.open(url, { ...options, target }).catch((error) => {
        throw hosts.length > 1 ? naming(url, error) : error
      })
      return { host, connection }
    })
    const opened = await firstResult(attempts, PAUSE_MS, ({ connection: spare }) => {
      void spare.end(CLOSE_TIMEOUT_MS)
    }).catch(({ errors }: AggregateError) => {
      throw ofAllHosts(errors)
    })
    this.#host = opened.host
    return opened.connection
  }
}

function naming(url: string, error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error
  return new StoreUnavailable(error.reason, `${new URL(url).host}: ${error.message}`, error)
}

/** One error for those of all hosts. Its reason is that of a refusal, which says more than a host that cannot be reached. */
function ofAllHosts(errors: readonly Error[]): Error {
  const isUnreachable = (error: Error) =>
    error instanceof StoreUnavailable && error.reason === 'unreachable'
  const worst = errors.find((error) => !isUnreachable(error)) ?? errors[0]!
  const texts = new Set(errors.map(({ message }) => message))
  if (!(worst instanceof StoreUnavailable) || texts.size === 1) return worst
  return new StoreUnavailable(worst.reason, [...texts].join('; '), worst)
}
