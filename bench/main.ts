// npm run bench [-- --messages N] [--engine sqlite|postgres]: what the program does per second beside
// what a bare node:http server and raw Ed25519 do in the same run, so that machines can be compared.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toHex } from '../src/protocol/bytes.ts'
import { verifyEd25519 } from '../src/protocol/ed25519.ts'
import type { SignedMessage } from '../src/protocol/message.ts'
import { createDatabase, startPostgres } from '../test/postgres.ts'
import { get, type LoadResult, load, post, type Request } from './client.ts'
import { makeMessages } from './messages.ts'
import type { Usage } from './server.ts'

const CONNECTIONS = 64
const ACCOUNTS = 1_000
const READS = 20_000
const PAGES = 2_000

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    engine: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
  },
})
const count = Number(values.messages)

const raw = rawEd25519()
console.log(`raw Ed25519 verification, one thread: ${raw.toFixed(0)}/s`)
for (const engine of values.engine) await benchEngine(engine)
process.exit(0)

async function benchEngine(engine: string): Promise<void> {
  console.log(`\n== ${engine}, ${count} messages ==`)
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  const postgres = engine === 'postgres' ? await startPostgres() : undefined
  if (postgres) process.env.TEST_DATABASE_URL = postgres.url
  const database = postgres && (await createDatabase())
  const server = await start('rookery', String(ACCOUNTS), {
    ROOKERY_DATA_DIR: dir,
    ROOKERY_HUB_PORT: '0',
    ROOKERY_ACCOUNTS_PORT: '0',
    ROOKERY_OPS_PORT: '0',
    ROOKERY_LOG_LEVEL: 'fatal',
    ...(database && { DATABASE_URL: database.url }),
  })
  const before = await server.usage()
  const { messages, rawBytes } = await benchSubmits(server)
  const after = await server.usage()
  const disk = (after.diskBytes - before.diskBytes) / count
  console.log(
    `disk per message: ${disk.toFixed(0)} bytes (raw message ${(rawBytes / count).toFixed(0)} bytes, ` +
      `ratio ${(disk / (rawBytes / count)).toFixed(2)}); RSS ${(after.rssBytes / 2 ** 20).toFixed(0)} MB`,
  )
  await benchReads(server, messages)
  server.stop()
  await database?.drop()
  await postgres?.stop()
  rmSync(dir, { recursive: true, force: true })
}

/** Fills the store in slices, so that memory stays small, and measures the first and the last. */
async function benchSubmits(server: Server) {
  const slice = Math.min(count, 50_000)
  const messages: SignedMessage[] = []
  let rawBytes = 0
  for (let from = 0; from < count; from += slice) {
    const batch = makeMessages(Math.min(slice, count - from), ACCOUNTS, from)
    rawBytes += batch.bytes.reduce((sum, bytes) => sum + bytes.length, 0)
    const requests = batch.bytes.map((bytes) => post('/v1/submitMessage', bytes))
    await measure(
      `submits (from ${from})`,
      server,
      requests,
      `${raw.toFixed(0)} raw verifications`,
      raw,
    )
    messages.push(...batch.messages.filter((_, i) => i % 10 < 4).slice(0, 1_000))
  }
  return { messages, rawBytes }
}

async function benchReads(server: Server, casts: SignedMessage[]): Promise<void> {
  const cast = (n: number) => casts[(n * 31) % casts.length]!
  const paths: [string, number, (n: number) => string][] = [
    ['castById', READS, (n) => `/v1/castById?fid=${cast(n).fid}&hash=${toHex(cast(n).hash)}`],
    ['castsByFid, 100', PAGES, (n) => `/v1/castsByFid?fid=${(n % ACCOUNTS) + 1}&pageSize=100`],
    ['events, 1000', PAGES / 4, (n) => `/v1/events?from_event_id=${n}`],
  ]
  for (const [name, reads, path] of paths) {
    const size = (await (await fetch(server.url + path(0))).arrayBuffer()).byteLength
    const bare = await start('bare', String(size), {})
    const requests = Array.from({ length: reads }, (_, n) => get(path(n)))
    await load(bare.url, requests.slice(0, reads / 4), CONNECTIONS)
    const floor = await load(bare.url, requests, CONNECTIONS)
    bare.stop()
    await load(server.url, requests.slice(0, reads / 4), CONNECTIONS)
    await measure(
      name,
      server,
      requests,
      `bare server ${floor.perSecond.toFixed(0)}/s`,
      floor.perSecond,
    )
  }
}

async function measure(
  name: string,
  server: Server,
  requests: Request[],
  floorName: string,
  floor: number,
): Promise<LoadResult> {
  const before = await server.usage()
  const result = await load(server.url, requests, CONNECTIONS)
  const after = await server.usage()
  const cpu = ((after.cpuSeconds - before.cpuSeconds) / result.requests) * 1e6
  console.log(
    `${name}: ${result.perSecond.toFixed(0)}/s (${(result.perSecond / floor).toFixed(2)} of ${floorName}), ` +
      `p50 ${result.p50Ms.toFixed(2)} ms, p99 ${result.p99Ms.toFixed(2)} ms, ${cpu.toFixed(0)} us CPU each, ` +
      `RSS ${(after.rssBytes / 2 ** 20).toFixed(0)} MB${result.failures ? `, ${result.failures} FAILED` : ''}`,
  )
  return result
}

type Server = { readonly url: string; usage(): Promise<Usage>; stop(): void }

async function start(kind: string, argument: string, env: Record<string, string>): Promise<Server> {
  const child = fork(new URL('./server.ts', import.meta.url), [kind, argument], {
    env: { ...process.env, ...env },
  })
  const { url } = await reply<{ url: string }>(child)
  return {
    url,
    usage() {
      child.send('usage')
      return reply<Usage>(child)
    },
    stop: () => child.disconnect(),
  }
}

function reply<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the server under test ended'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as T)
    })
  })
}

function rawEd25519(): number {
  const [message] = makeMessages(1, 1).messages
  if (!message) throw new Error('no message')
  const runs = 10_000
  const started = performance.now()
  for (let i = 0; i < runs; i++) verifyEd25519(message.signature, message.hash, message.signer)
  return runs / ((performance.now() - started) / 1000)
}
