// npm run bench -- --plots: short runs of the hub on SQLite, written to a JSON file and drawn as SVG in docs/plots/.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { get, load } from './client.ts'
import { DRAWINGS, type Figures, type Growth, type Latency } from './drawings.ts'
import { ACCOUNTS, benchReads, benchSubmits, type Casts, MORE_SUBMITS, submitsOf } from './hub.ts'
import { benchLatency } from './latency.ts'
import { makeMessages } from './messages.ts'
import { randomNumbers } from './random.ts'
import { type Server, startServer } from './server-process.ts'
import { fillApp } from './stored.ts'

const DIRECTORY = 'docs/plots'
/** Sizes of the networks whose answers are compared, in messages; an account has a hundred of them. */
const SIZES = [100_000, 1_000_000]
const MESSAGES_PER_USER = 100
const CONNECTIONS = [1, 4, 16, 64, 256]
/** Requests of each number of connections, at least. */
const REQUESTS = 1_000
const REQUESTS_PER_CONNECTION = 20
const DIGITS = 4

/** Draws the figures of a file, which is measured and written unless it is given. */
export async function benchPlots(messages: number, given: string | undefined): Promise<void> {
  const file = given ?? join(DIRECTORY, 'figures.json')
  if (given === undefined) {
    mkdirSync(DIRECTORY, { recursive: true })
    const date = new Date().toISOString().slice(0, 10)
    const figures = await measureFigures(messages, date, earlierGrowth(file, date))
    writeFileSync(file, `${JSON.stringify(figures, rounded, 1)}\n`)
  }
  const figures = JSON.parse(readFileSync(file, 'utf8')) as Figures
  for (const [name, draw] of Object.entries(DRAWINGS)) {
    writeFileSync(join(dirname(file), `${name}.svg`), draw(figures))
  }
}

const rounded = (_: string, value: unknown) =>
  typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value

/** Points of other days stay in the file: large sizes, which take hours, are not measured each time. */
function earlierGrowth(file: string, date: string): Growth[] {
  if (!existsSync(file)) return []
  const { growth, date: last } = JSON.parse(readFileSync(file, 'utf8')) as Figures
  return growth.filter((one) => one.date !== date && one.date !== last)
}

async function measureFigures(
  messages: number,
  date: string,
  earlier: readonly Growth[],
): Promise<Figures> {
  const { shares, latency } = await inDirectory((env) => measureHub(env, messages))
  const growth: Growth[] = []
  for (const size of SIZES) {
    const users = size / MESSAGES_PER_USER
    await inDirectory(async (env) => {
      await fillApp(env, { messages: size, users })
      for (const { name, p50Ms } of await benchLatency(env, users)) {
        growth.push({ name, messages: size, p50Ms, date })
      }
    })
  }
  return { date, load: loadavg()[0]!, shares, growth: [...earlier, ...growth], latency }
}

type Env = Readonly<Record<string, string>>

async function inDirectory<T>(work: (env: Env) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  try {
    return await work({ ROOKERY_DATA_DIR: dir, ROOKERY_LOG_LEVEL: 'fatal' })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function measureHub(env: Env, messages: number) {
  const server = await startServer('rookery', ACCOUNTS, env)
  const { rows, casts } = await benchSubmits(server, messages)
  rows.push(...(await benchReads(server, casts)))
  const shares = rows.map(({ name, floor, cpuUs }) => ({
    name: name.replace(/, from message 0$/, ''),
    share: floor.cpuUs / cpuUs,
  }))
  const latency = await underLoad(server, casts, messages + MORE_SUBMITS)
  server.stop()
  await server.ended
  return { shares, latency }
}

/** Waiting times over more and more connections. */
async function underLoad(server: Server, casts: Casts, first: number): Promise<Latency[]> {
  const random = randomNumbers(13)
  const found: Latency[] = []
  let made = first
  for (const connections of CONNECTIONS) {
    const count = Math.max(REQUESTS, connections * REQUESTS_PER_CONNECTION)
    const anyCast = () => get(casts.path(Math.floor(random() * casts.count)))
    const kinds = {
      castById: Array.from({ length: count }, anyCast),
      submit: submitsOf(makeMessages(count, ACCOUNTS, made).bytes),
    }
    made += count
    for (const [name, requests] of Object.entries(kinds)) {
      const { p50Ms, p99Ms, failures } = await load(server.url, requests, connections)
      if (failures > 0) throw new Error(`${name}: ${failures} requests failed`)
      found.push({ name, connections, p50Ms, p99Ms })
    }
  }
  return found
}
