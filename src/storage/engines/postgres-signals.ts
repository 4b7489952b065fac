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

export type PostgresSignalBus = SignalBus & { close(): Promise<void> }

type Options = {
  /** Sends statements; what it sends must reach the primary. */
  readonly sql: Pick<Sql, 'all'>
  /** A pool of one connection, which stays open. */
  readonly pool: ConnectionPool
}

export function createPostgresSignals({ sql, pool }: Options): PostgresSignalBus {
  /** Marks what this process sent, which has told its own listeners already. */
  const sender = randomBytes(8).toString('hex')
  const stopped = new AbortController()
  const unsent = new Set<Topic>()
  let isConnected = false
  let sending: Promise<void> | undefined
  let listening: Promise<void> | undefined

  const pause = (ms: number) =>
    sleep(ms, undefined, { signal: stopped.signal, ref: false }).catch(() => {})

  async function sendAll(): Promise<void> {
    while (unsent.size > 0 && !stopped.signal.aborted) {
      const topics = [...unsent]
      unsent.clear()
      try {
        for (const topic of topics) {
          await sql.all('select pg_notify(?, ?)', [CHANNEL, `${sender} ${topic}`])
        }
        await pause(SEND_INTERVAL_MS)
      } catch {
        // The others find what was not announced by their polls.
        await pause(RETRY_MS)
      }
    }
  }

  async function listen(onTopic: (topic: Topic) => void): Promise<void> {
    while (!stopped.signal.aborted) {
      const wait = await listenOnce(onTopic).catch(() => RETRY_MS)
      isConnected = false
      await pause(wait)
    }
  }

  /** Receives until the connection is lost. Returns how long to wait before the next attempt. */
  async function listenOnce(onTopic: (topic: Topic) => void): Promise<number> {
    const connection = await pool.lend()
    try {
      if (!(await isDirect(connection))) return UNSUPPORTED_RETRY_MS
      connection.onNotification((text = '') => {
        const [from, ...words] = text.split(' ')
        const topic = TOPICS.find((one) => one === words.join(' '))
        if (topic && from !== sender) onTopic(topic)
      })
      await connection.query(LISTEN)
      isConnected = true
      // What was announced while there was no connection.
      for (const topic of TOPICS) onTopic(topic)
      while (!connection.isLost && !stopped.signal.aborted) {
        await Promise.race([pause(CHECK_INTERVAL_MS), connection.lost])
        // Shows whether the connection is alive. A repeated `listen` changes nothing.
        await connection.query(LISTEN)
      }
    } finally {
      pool.discard(connection)
      pool.release(connection)
    }
    return RETRY_MS
  }

  return {
    get isConnected() {
      return isConnected
    },
    connect(onTopic) {
      listening ??= listen(onTopic)
    },
    send(topic) {
      unsent.add(topic)
      sending ??= sendAll().finally(() => {
        sending = undefined
      })
    },
    async close() {
      stopped.abort()
      await pool.close()
      await Promise.all([listening, sending])
    },
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
