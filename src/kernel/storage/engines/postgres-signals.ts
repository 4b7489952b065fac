// Signals between the processes that share a PostgreSQL, by LISTEN and NOTIFY. Poolers such as pgbouncer in
// transaction mode, and some databases that speak PostgreSQL's protocol, pass no notifications on: then
// processes poll more often (see Signals.pollMs), and nothing else changes.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './postgres-connection.ts'
import type { ConnectionPool } from './postgres-pool.ts'
import { type SignalBus, TOPICS, type Topic } from './signals.ts'
import type { Sql } from './sql.ts'

const CHANNEL = 'rookery'
const LISTEN = { text: `listen ${CHANNEL}` }
/** Commits within this time are announced together. */
const SEND_INTERVAL_MS = 10
/** How often the connection is tried: a host that vanished would leave it open and silent. */
const CHECK_INTERVAL_MS = 5_000
const RETRY_MS = 1_000
/** Where notifications cannot work they are tried again seldom: a pooler may be taken away. */
const UNSUPPORTED_RETRY_MS = 60_000

type Options = {
  /** Sends statements; what it sends must reach the primary. */
  readonly sql: Pick<Sql, 'all'>
  /** A pool of one connection, which stays open. */
  readonly pool: ConnectionPool
}

export class PostgresSignals implements SignalBus {
  readonly #sql: Pick<Sql, 'all'>
  readonly #pool: ConnectionPool
  /** Marks the notifications of this process, which has told its own listeners already. */
  readonly #sender = randomBytes(8).toString('hex')
  readonly #stopped = new AbortController()
  readonly #unsent = new Set<Topic>()
  #isConnected = false
  #sending: Promise<void> | undefined
  #listening: Promise<void> | undefined

  constructor({ sql, pool }: Options) {
    this.#sql = sql
    this.#pool = pool
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  connect(onTopic: (topic: Topic) => void): void {
    this.#listening ??= this.#listen(onTopic)
  }

  send(topic: Topic): void {
    this.#unsent.add(topic)
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#pool.close()
    await Promise.all([this.#listening, this.#sending])
  }

  async #sendAll(): Promise<void> {
    while (this.#unsent.size > 0 && !this.#stopped.signal.aborted) {
      const topics = [...this.#unsent]
      this.#unsent.clear()
      try {
        for (const topic of topics) {
          await this.#sql.all('select pg_notify(?, ?)', [CHANNEL, `${this.#sender} ${topic}`])
        }
        await this.#pause(SEND_INTERVAL_MS)
      } catch {
        // The others find the changes by polling.
        await this.#pause(RETRY_MS)
      }
    }
  }

  async #listen(onTopic: (topic: Topic) => void): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const wait = await this.#listenOnce(onTopic).catch(() => RETRY_MS)
      this.#isConnected = false
      await this.#pause(wait)
    }
  }

  /** Receives until the connection is lost. Returns how long to wait before the next attempt. */
  async #listenOnce(onTopic: (topic: Topic) => void): Promise<number> {
    const connection = await this.#pool.lend()
    try {
      if (!(await isDirect(connection))) return UNSUPPORTED_RETRY_MS
      connection.onNotification((text = '') => {
        const [from, ...words] = text.split(' ')
        const topic = TOPICS.find((one) => one === words.join(' '))
        if (topic && from !== this.#sender) onTopic(topic)
      })
      await connection.query(LISTEN)
      this.#isConnected = true
      // There may have been announcements before.
      for (const topic of TOPICS) onTopic(topic)
      while (!connection.isLost && !this.#stopped.signal.aborted) {
        await Promise.race([this.#pause(CHECK_INTERVAL_MS), connection.lost])
        // Shows whether the connection is alive. A repeated `listen` changes nothing.
        await connection.query(LISTEN)
      }
    } finally {
      this.#pool.discard(connection)
      this.#pool.release(connection)
    }
    return RETRY_MS
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => {})
  }
}

/**
 * Whether the connection leads to one server process for as long as it lives. A pooler announces a process
 * id of its own when it is connected to, and would lend the session that listens to others.
 */
async function isDirect(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query({ text: 'select pg_backend_pid() as pid' })
  return Number(rows[0]?.pid) === connection.processId
}
