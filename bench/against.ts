// npm run bench -- --against DIR: this checkout and another one in turn, on the same machine and in the same run. The
// load generator and the requests are those of this checkout; each server is the program of its own checkout, with the
// flags of V8 that its `npm start` has.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createDatabase } from '../test/postgres.ts'
import { ACCOUNTS, benchReads, benchSubmits, type Casts, MORE_SUBMITS, submitFirst } from './hub.ts'
import { benchPlatform } from './platform.ts'
import { printProfiles } from './profile.ts'
import { benchRegistry } from './registry.ts'
import type { Row } from './report.ts'
import type { Server, StartServer } from './server-process.ts'

type AgainstOptions = {
  readonly dir: string
  readonly rounds: number
  readonly messages: number
  /** Messages that the hub has stored before each round. */
  readonly stored: number
  readonly engine: string
  readonly parts: ReadonlySet<string>
}

type Env = Readonly<Record<string, string>>
type Store = { readonly env: Env; remove(): Promise<void> }
type Side = {
  readonly name: string
  readonly start: StartServer
  readonly rows: Row[]
  /** The large store that all rounds share. */
  large?: Store & { readonly casts: Casts }
}

/** Prints the medians of all rounds. */
export async function benchAgainst(options: AgainstOptions): Promise<void> {
  const { dir, rounds, engine, messages } = options
  const sides = [await sideOf('other', resolve(dir)), await sideOf('this', process.cwd())]
  if (options.stored > 0) for (const side of sides) await fillLarge(side, options)
  for (let round = 0; round < rounds; round++) {
    // The order alternates.
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      side.rows.push(...(await measureSide(side, options, round)))
    }
  }
  const load = loadavg()[0]!.toFixed(1)
  const over = options.stored > 0 ? ` over ${options.stored} that are stored` : ''
  for (const { large } of sides) await large?.remove()
  console.log(
    `\n${engine}, ${messages} messages${over}, medians of ${rounds} rounds in turn with ${dir}; load ${load}`,
  )
  printComparison(sides[0]!, sides[1]!)
}

async function sideOf(name: string, dir: string): Promise<Side> {
  const { startServer: start } = (await import(
    pathToFileURL(join(dir, 'bench/server-process.ts')).href
  )) as { startServer: StartServer }
  const flags = [...readFileSync(join(dir, 'scripts/run.mjs'), 'utf8').matchAll(V8_FLAG)]
  const execArgv = flags.map(([, flag]) => flag!)
  return {
    name,
    rows: [],
    start(...given) {
      process.execArgv = execArgv
      return start(...given)
    },
  }
}

const V8_FLAG = /'(--(?:min|max|heap|memory)-[a-z-]+(?:=\d+)?)'/g

const PARTS = { registry: benchRegistry, platform: benchPlatform }

async function measureSide(side: Side, options: AgainstOptions, round: number): Promise<Row[]> {
  const { engine, parts } = options
  const rows: Row[] = []
  if (side.large) rows.push(...(await benchLarge(side, options, round)))
  else if (parts.has('hub')) {
    await onEmptyStore(engine, async (env) => {
      const server = await side.start('rookery', ACCOUNTS, env)
      const submits = await benchSubmits(server, options.messages)
      rows.push(...submits.rows, ...(await benchReads(server, submits.casts)))
      server.stop()
    })
  }
  for (const [part, bench] of Object.entries(PARTS)) {
    if (!parts.has(part)) continue
    await onEmptyStore(engine, async (env) => {
      rows.push(...(await bench(env, side.start)))
    })
  }
  return rows
}

/** Every side stores the same messages with its own program. */
async function fillLarge(side: Side, { engine, stored }: AgainstOptions): Promise<void> {
  const store = await newStore(engine)
  const server = await side.start('rookery', ACCOUNTS, store.env)
  const casts = await submitFirst(server, stored)
  await untilIdle(server)
  await end(server)
  side.large = { ...store, casts }
}

/** A new process with empty caches submits other messages in each round. */
async function benchLarge(
  { start, large }: Side,
  { stored, messages }: AgainstOptions,
  round: number,
): Promise<Row[]> {
  const server = await start('rookery', 0, large!.env)
  await untilIdle(server)
  const { rows } = await benchSubmits(server, messages, stored + round * (messages + MORE_SUBMITS))
  rows.push(...(await benchReads(server, large!.casts)))
  await end(server)
  return rows
}

/** Share of a processor below which a server counts as idle. */
const IDLE_SHARE = 0.1

/** Waits until the work after a start or a write has ended. */
async function untilIdle(server: Server): Promise<void> {
  for (let used = Number.POSITIVE_INFINITY; used > IDLE_SHARE; ) {
    const before = await server.usage()
    await delay(1_000)
    used = (await server.usage()).cpuSeconds - before.cpuSeconds
  }
}

async function end(server: Server): Promise<void> {
  server.stop()
  // Servers of old checkouts do not tell when they have ended.
  await Promise.all([server.ended, delay(1_000)])
}

async function onEmptyStore(engine: string, run: (env: Env) => Promise<void>): Promise<void> {
  const { env, remove } = await newStore(engine)
  await run(env)
  await remove()
}

async function newStore(engine: string): Promise<Store> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  // Without a schema: each program makes its own.
  const database = engine === 'postgres' ? await createDatabase('template0') : undefined
  return {
    env: {
      ROOKERY_DATA_DIR: dir,
      ROOKERY_LOG_LEVEL: 'fatal',
      ...(database && { DATABASE_URL: database.url }),
    },
    async remove() {
      await database?.drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const HEADINGS = [
  'what',
  'other, per second',
  'this',
  'times',
  'other, CPU us',
  'this',
  'other, p50 ms',
  'this',
  'this beside its floor',
]

function printComparison(other: Side, own: Side): void {
  console.log(`| ${HEADINGS.join(' | ')} |`)
  console.log(`|${' --- |'.repeat(HEADINGS.length)}`)
  for (const name of new Set(own.rows.map((row) => row.name))) {
    const [before, now] = [other, own].map(({ rows }) => rows.filter((row) => row.name === name))
    const pair = (of: (row: Row) => number) =>
      [median(before!.map(of)), median(now!.map(of))] as const
    const [slow, fast] = pair(({ perSecond }) => perSecond)
    const cells = [
      name,
      slow.toFixed(0),
      fast.toFixed(0),
      (fast / slow).toFixed(2),
      ...pair(({ cpuUs }) => cpuUs).map((us) => us.toFixed(0)),
      ...pair(({ p50Ms }) => p50Ms).map((ms) => ms.toFixed(2)),
      besideFloor(now!),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  const mostRss = ({ rows }: Side) =>
    Math.max(...rows.map(({ rssBytes }) => rssBytes / 2 ** 20)).toFixed(0)
  console.log(`RSS at most: other ${mostRss(other)} MB, this ${mostRss(own)} MB`)
  const sides = [other, own]
  printProfiles(
    own.rows
      .filter(({ name }, i) => own.rows.findIndex((row) => row.name === name) === i)
      .flatMap((_, i) =>
        sides.map(({ name, rows }) => ({ ...rows[i]!, name: `${rows[i]!.name}, ${name}` })),
      ),
  )
}

function besideFloor(rows: readonly Row[]): string {
  const share = median(rows.map(({ perSecond, floor }) => perSecond / floor.perSecond)).toFixed(2)
  const ofFloor = median(rows.map(({ floor }) => floor.perSecond)).toFixed(0)
  return `${share} of ${rows[0]!.floor.name} (${ofFloor})`
}

const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[list.length >> 1] ?? Number.NaN
