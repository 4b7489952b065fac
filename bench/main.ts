// npm run bench: what the program does per second beside what a bare node:http server and raw Ed25519 do in the same
// run, so that machines can be compared. `npm run bench -- --help` lists the options.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, startPostgres } from '../test/postgres.ts'
import { benchAgainst } from './against.ts'
import { benchAims } from './app-aims.ts'
import { benchBadges } from './badges.ts'
import { benchChain } from './chain.ts'
import { benchCluster } from './cluster.ts'
import { benchGrpc } from './grpc.ts'
import { ACCOUNTS, benchReads, benchSubmits, ed25519Floor } from './hub.ts'
import { benchLatency } from './latency.ts'
import { benchMirror } from './mirror.ts'
import { readBenchOptions } from './options.ts'
import { benchPlatform } from './platform.ts'
import { benchPlots } from './plots.ts'
import { benchProcesses } from './processes.ts'
import { profileLines } from './profile.ts'
import { benchRegistry } from './registry.ts'
import { printTable } from './report.ts'
import { packServer, startServer } from './server-process.ts'
import { benchStored, fillApp, fillStored } from './stored.ts'
import { benchSuites } from './suites.ts'

const values = readBenchOptions(process.argv.slice(2))
const count = values.messages
const parts = new Set(values.stored ? ['hub'] : values.part)
// An old checkout cannot be bundled, so both sides of --against run from their sources.
if (!values.sources && !values.against && !values.json && !values.suites)
  process.on('exit', await packServer())
if (values.profile) profileLines()

if (values.plots) {
  await benchPlots(count, values.json)
  process.exit()
}
if (values.badges) {
  await benchBadges(values.badges)
  process.exit()
}
if (values.cluster) {
  await benchCluster(count)
  process.exit()
}
if (values.processes) {
  await benchOfProcesses(values.processes)
  process.exit()
}
if (values.against) {
  for (const engine of values.engine) {
    const postgres = engine === 'postgres' ? await startPostgres() : undefined
    if (postgres) process.env.TEST_DATABASE_URL = postgres.url
    const { against: dir, rounds, messages, stored = 0 } = values
    await benchAgainst({ dir, rounds, messages, stored, engine, parts })
    await postgres?.stop()
  }
  process.exit()
}
if (values.suites) {
  for (const engine of values.engine) {
    const postgres = engine === 'postgres' ? await startPostgres() : undefined
    if (postgres) process.env.TEST_DATABASE_URL = postgres.url
    console.log(`\n${engine}`)
    await benchSuites(values.rounds, postgres)
    await postgres?.stop()
  }
  process.exit()
}
if (values.app || values.latency) {
  const size = { messages: count, users: values.users }
  for (const engine of values.engine) {
    await onFilledStore(
      engine,
      (env) => fillApp(env, size),
      async (env) => {
        console.log(`\n${engine}, ${size.users} users, ${size.messages} messages`)
        await (values.app ? benchAims(env, size, values.rows) : benchLatency(env, size.users))
      },
    )
  }
  process.exit()
}
const { perSecond } = ed25519Floor()
console.log(`raw Ed25519: ${perSecond.toFixed(0)} verifications/s on one thread`)
for (const engine of values.engine) {
  if (values.stored) await benchLargeStore(engine, values.stored)
  else await benchEngine(engine)
}

async function benchOfProcesses(most: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  const env = { ROOKERY_DATA_DIR: dir, ROOKERY_LOG_LEVEL: 'fatal', ROOKERY_VIEWS: 'off' }
  const postgres = await startPostgres()
  process.env.TEST_DATABASE_URL = postgres.url
  await benchProcesses({ most, messages: count }, env)
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}

function benchLargeStore(engine: string, stored: number): Promise<void> {
  return onFilledStore(
    engine,
    (env) => fillStored(env, stored),
    async (env) => {
      console.log(`\n${engine}, ${count} messages over ${stored} that are stored`)
      printTable(await benchStored(env, { stored, submitted: count }))
    },
  )
}

/** Runs a measurement on a filled store: that of --data, or a new one. */
async function onFilledStore(
  engine: string,
  fill: (env: Readonly<Record<string, string>>) => Promise<void>,
  run: (env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const dir = values.data ?? mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  mkdirSync(dir, { recursive: true })
  const given = values.data && process.env.DATABASE_URL
  const postgres = engine === 'postgres' && !given ? await startPostgres() : undefined
  if (postgres) process.env.TEST_DATABASE_URL = postgres.url
  const url = engine === 'sqlite' ? '' : given || (await createDatabase()).url
  const env = {
    ROOKERY_DATA_DIR: dir,
    ROOKERY_LOG_LEVEL: 'fatal',
    ...(url !== '' && { DATABASE_URL: url }),
  }
  const filled = join(dir, 'filled')
  if (!existsSync(filled)) await fill(env)
  writeFileSync(filled, '')
  await run(env)
  await postgres?.stop()
  if (!values.data) rmSync(dir, { recursive: true, force: true })
}

async function benchEngine(engine: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  const postgres = engine === 'postgres' ? await startPostgres() : undefined
  if (postgres) process.env.TEST_DATABASE_URL = postgres.url
  const database = postgres && (await createDatabase())
  const env = {
    ROOKERY_DATA_DIR: dir,
    ROOKERY_LOG_LEVEL: 'fatal',
    ...(database && { DATABASE_URL: database.url }),
  }
  console.log(`\n${engine}, ${count} messages`)
  if (parts.has('hub')) await benchHub(env)
  if (parts.has('registry')) printTable(await benchRegistry(env))
  if (parts.has('platform')) printTable(await benchPlatform(env))
  await database?.drop()
  let stores = 0
  const emptyStore = async () => {
    const empty = postgres && (await createDatabase())
    return {
      ...env,
      ROOKERY_DATA_DIR: join(dir, `${stores++}`),
      ...(empty && { DATABASE_URL: empty.url }),
    }
  }
  if (parts.has('grpc')) await benchGrpc(await emptyStore(), count)
  if (parts.has('chain')) await benchChain(values.chain, await emptyStore())
  if (parts.has('mirror')) await benchMirror(emptyStore, count, values.people)
  await postgres?.stop()
  rmSync(dir, { recursive: true, force: true })
}

async function benchHub(env: Readonly<Record<string, string>>): Promise<void> {
  const server = await startServer('rookery', ACCOUNTS, env)
  const { rows, casts } = await benchSubmits(server, count)
  printTable([...rows, ...(await benchReads(server, casts))])
  server.stop()
}
