import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startNetwork } from '../src/testing/index.ts'
import { createDatabase } from '../test/postgres.ts'

const SUITE = fileURLToPath(new URL('./app-suite.ts', import.meta.url))
const WORKERS = 4
const TESTS = 200

type World = 'small' | 'busy'
const WORLDS: readonly World[] = ['small', 'busy']

/** What the tests of all workers took, networks and PostgreSQL included: the longest time, and all processor time. */
type Times = { readonly ms: number; readonly cpuSeconds: number }

type Postgres = { processorSeconds(): number } | undefined

/**
 * Prints what 200 tests of an app take with a revert before each and without, in four workers of which each has a network of its
 * own. On SQLite all begin with one snapshot.
 */
export async function benchSuites(rounds: number, postgres: Postgres): Promise<void> {
  for (const world of WORLDS) {
    const network = postgres ? undefined : await startNetwork()
    await network?.seed(world)
    const directory = (await network?.snapshot())?.directory
    const ratios: Times[] = []
    for (let round = 0; round < rounds; round++) {
      const terms = { world, directory, postgres }
      const without = await runSuite({ ...terms, reverts: false })
      const reverting = await runSuite({ ...terms, reverts: true })
      console.log(`${world}: ${told(without)} without reverts, ${told(reverting)} with`)
      ratios.push({
        ms: reverting.ms / without.ms,
        cpuSeconds: reverting.cpuSeconds / without.cpuSeconds,
      })
    }
    const [time, processor] = [({ ms }: Times) => ms, ({ cpuSeconds }: Times) => cpuSeconds].map(
      (of) => medianOf(ratios.map(of)).toFixed(2),
    )
    console.log(`${world}: ${time} times the time, ${processor} times the processor time`)
    await network?.stop()
  }
}

const told = ({ ms, cpuSeconds }: Times) =>
  `${(ms / 1_000).toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor time)`

const medianOf = (all: readonly number[]) =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!

type Terms = {
  readonly world: World
  readonly directory: string | undefined
  readonly postgres: Postgres
  readonly reverts: boolean
}

async function runSuite({ world, directory, postgres, reverts }: Terms): Promise<Times> {
  const databases = await Promise.all(
    Array.from({ length: WORKERS }, () => (postgres ? createDatabase() : undefined)),
  )
  const workers = databases.map((database) =>
    fork(SUITE, {
      env: {
        ...process.env,
        SUITE_TESTS: String(TESTS / WORKERS),
        ...(reverts && { SUITE_REVERTS: 'yes' }),
        ...(database
          ? { SUITE_SEED: world, DATABASE_URL: database.url }
          : { SUITE_FROM: directory }),
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  )
  await Promise.all(workers.map(saidBy))
  const before = postgres?.processorSeconds() ?? 0
  const ends = workers.map((worker) => {
    worker.send('begin')
    return saidBy(worker) as Promise<Times>
  })
  const times = await Promise.all(ends)
  const ofPostgres = (postgres?.processorSeconds() ?? 0) - before
  await Promise.all(databases.map((database) => database?.drop()))
  return {
    ms: Math.max(...times.map(({ ms }) => ms)),
    cpuSeconds: times.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, ofPostgres),
  }
}

/** The next message of a worker. */
async function saidBy(worker: ChildProcess): Promise<unknown> {
  const ended = once(worker, 'exit').then(() => [])
  const [message] = await Promise.race([once(worker, 'message'), ended])
  return message ?? assert.fail('the suite of a worker has failed')
}
