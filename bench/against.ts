// npm run bench -- --against DIR: this checkout and another one in turn, on the same machine and in the same run. The
// load generator and the requests are those of this checkout; each server is the program of its own checkout, with the
// flags of V8 that its `npm start` has.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createDatabase } from '../test/postgres.ts'
import { ACCOUNTS, benchReads, benchSubmits } from './hub.ts'
import { benchPlatform } from './platform.ts'
import { benchRegistry } from './registry.ts'
import type { Row } from './report.ts'
import type { StartServer } from './server-process.ts'

export type AgainstOptions = {
  readonly dir: string
  readonly rounds: number
  readonly messages: number
  readonly engine: string
  readonly parts: ReadonlySet<string>
}

type Side = { readonly name: string; readonly start: StartServer; readonly rows: Row[] }

/** Prints the medians of all rounds. */
export async function benchAgainst(options: AgainstOptions): Promise<void> {
  const { dir, rounds, engine, messages } = options
  const sides = [await sideOf('other', resolve(dir)), await sideOf('this', process.cwd())]
  for (let round = 0; round < rounds; round++) {
    // Neither side is always the first.
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      side.rows.push(...(await measureSide(side, options)))
    }
  }
  const load = loadavg()[0]!.toFixed(1)
  console.log(
    `\n${engine}, ${messages} messages, medians of ${rounds} rounds in turn with ${dir}; load ${load}`,
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

const V8_FLAG = /'(--(?:min|max|heap)-[a-z-]+=\d+)'/g

const PARTS = { registry: benchRegistry, platform: benchPlatform }

async function measureSide({ start }: Side, options: AgainstOptions): Promise<Row[]> {
  const rows: Row[] = []
  if (options.parts.has('hub')) {
    await onEmptyStore(options.engine, async (env) => {
      const server = await start('rookery', ACCOUNTS, env)
      const submits = await benchSubmits(server, options.messages)
      rows.push(...submits.rows, ...(await benchReads(server, submits.casts)))
      server.stop()
    })
  }
  for (const [part, bench] of Object.entries(PARTS)) {
    if (!options.parts.has(part)) continue
    await onEmptyStore(options.engine, async (env) => {
      rows.push(...(await bench(env, start)))
    })
  }
  return rows
}

async function onEmptyStore(
  engine: string,
  run: (env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-bench-'))
  const database = engine === 'postgres' ? await createDatabase() : undefined
  await run({
    ROOKERY_DATA_DIR: dir,
    ROOKERY_LOG_LEVEL: 'fatal',
    ...(database && { DATABASE_URL: database.url }),
  })
  await database?.drop()
  rmSync(dir, { recursive: true, force: true })
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
}

function besideFloor(rows: readonly Row[]): string {
  const share = median(rows.map(({ perSecond, floor }) => perSecond / floor.perSecond)).toFixed(2)
  const ofFloor = median(rows.map(({ floor }) => floor.perSecond)).toFixed(0)
  return `${share} of ${rows[0]!.floor.name} (${ofFloor})`
}

const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[list.length >> 1] ?? Number.NaN
