// npm run bench [-- --messages N --engine sqlite|postgres]: what the program does per second beside
// what a bare node:http server and raw Ed25519 do in the same run, so that machines can be compared.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toHex } from '../src/protocol/bytes.ts'
import { verifyEd25519 } from '../src/protocol/ed25519.ts'
import type { SignedMessage } from '../src/protocol/message.ts'
import { createDatabase, startPostgres } from '../test/postgres.ts'
import { benchBadges } from './badges.ts'
import { benchChain } from './chain.ts'
import { get, load, post } from './client.ts'
import { bareServer, READERS } from './floor.ts'
import { makeMessages } from './messages.ts'
import { benchPlatform } from './platform.ts'
import { benchRegistry } from './registry.ts'
import { type Floor, measure, printTable } from './report.ts'
import { type Server, startServer } from './server-process.ts'

/** Durable writes wait for the disk, so more of them are under way at a time. */
const CONNECTIONS = { reads: READERS, submits: 256 }
const ACCOUNTS = 200
/** Messages made and submitted in one go: what the load generator holds in memory. */
const SLICE = 50_000
/** Casts remembered for reading them back. */
const CASTS = 1_000

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    badges: { type: 'string' },
    chain: { type: 'string', default: '200000' },
  },
})
const count = Number(values.messages)

if (values.badges) {
  await benchBadges(Number(values.badges))
  process.exit()
}
const ed25519: Floor = { name: 'raw Ed25519', perSecond: rawVerifications() }
console.log(`raw Ed25519: ${ed25519.perSecond.toFixed(0)} verifications/s on one thread`)
for (const engine of values.engine) await benchEngine(engine)

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
  const server = await startServer('rookery', ACCOUNTS, env)
  console.log(`\n${engine}, ${count} messages`)
  const { rows, casts } = await submits(server)
  printTable([...rows, ...(await reads(server, casts))])
  server.stop()
  printTable(await benchRegistry(env))
  printTable(await benchPlatform(env))
  await database?.drop()
  const empty = postgres && (await createDatabase())
  await benchChain(Number(values.chain), {
    ...env,
    ROOKERY_DATA_DIR: join(dir, 'chain'),
    ...(empty && { DATABASE_URL: empty.url }),
  })
  await empty?.drop()
  await postgres?.stop()
  rmSync(dir, { recursive: true, force: true })
}

async function submits(server: Server) {
  const rows = []
  const before = await server.usage()
  let casts: SignedMessage[] = []
  let rawBytes = 0
  for (let from = 0; from < count; from += SLICE) {
    const batch = makeMessages(Math.min(SLICE, count - from), ACCOUNTS, from)
    rawBytes += batch.bytes.reduce((sum, bytes) => sum + bytes.length, 0)
    casts = batch.messages.filter(isCast).slice(0, CASTS)
    const requests = batch.bytes.map((bytes) => post('/v1/submitMessage', bytes))
    const name = `submits, from message ${from}`
    const row = await measure(name, server, requests, CONNECTIONS.submits, ed25519)
    if (from === 0 || from + SLICE >= count) rows.push(row)
  }
  const after = await server.usage()
  const disk = (after.diskBytes - before.diskBytes) / count
  const raw = rawBytes / count
  const ratio = (disk / raw).toFixed(2)
  console.log(`disk: ${disk.toFixed(0)} bytes a message of ${raw.toFixed(0)} bytes, ratio ${ratio}`)
  return { rows, casts }
}

async function reads(server: Server, casts: readonly SignedMessage[]) {
  const cast = (n: number) => casts[(n * 31) % casts.length]!
  const kinds: [string, number, (n: number) => string][] = [
    ['castById', 20_000, (n) => `/v1/castById?fid=${cast(n).fid}&hash=${toHex(cast(n).hash)}`],
    ['page of 100 casts', 4_000, (n) => `/v1/castsByFid?fid=${(n % ACCOUNTS) + 1}&pageSize=100`],
    ['page of 1,000 events', 500, (n) => `/v1/events?from_event_id=${n}`],
  ]
  const rows = []
  for (const [name, number, path] of kinds) {
    const requests = Array.from({ length: number }, (_, n) => get(path(n)))
    const floor = await bareServer(
      (await (await fetch(server.url + path(0))).bytes()).length,
      number,
    )
    await load(server.url, requests.slice(0, number / 4), CONNECTIONS.reads)
    rows.push(await measure(name, server, requests, CONNECTIONS.reads, floor))
  }
  return rows
}

function isCast(message: SignedMessage): boolean {
  return message.data.body.case === 'castAddBody'
}

function rawVerifications(): number {
  const message = makeMessages(1, 1).messages[0]!
  const runs = 10_000
  const started = performance.now()
  for (let i = 0; i < runs; i++) verifyEd25519(message.signature, message.hash, message.signer)
  return runs / ((performance.now() - started) / 1000)
}
