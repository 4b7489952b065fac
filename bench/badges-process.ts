import { openWholeStore } from '../src/store.ts'
// Computes the power badges of an existing store in its own process: step by step on the main thread, or in a
// worker thread as a server does. Reports event loop delay and memory.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Registry } from 'prom-client'
import { Badges } from '../src/features/badges/badges.ts'
import { readActive, readFids, readGraph } from '../src/features/badges/read.ts'
import {
  ACTIVITY_WINDOW_SECONDS,
  INTERACTION_WINDOW_SECONDS,
} from '../src/features/badges/rules.ts'
import { computeTrust, rankAccounts } from '../src/features/badges/score.ts'
import { seedsOf } from '../src/features/badges/seeds.ts'
import { Runner } from '../src/kernel/jobs/runner.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { type BadgeMeasures, NETWORK, seconds } from './badges.ts'

const SETTINGS = { seeds: [], part: 0.5, max: 10_000 }
const PROBE_MS = 20

const [how, dataDir = ''] = process.argv.slice(2)
const storage = await openWholeStore({ dataDir, network: NETWORK })
const measures = how === 'steps' ? await steps() : await server()
await storage.close()
process.send?.(measures)
process.disconnect?.()

async function steps(): Promise<BadgeMeasures> {
  const times: Record<string, string> = {}
  const timed = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    const started = performance.now()
    const result = await work()
    times[what] = `${seconds(performance.now() - started)} s`
    return result
  }
  const now = networkTime(Date.now())
  const fids = await timed('read accounts', () => readFids(storage))
  const graph = await timed('read the graph', () =>
    readGraph(storage, fids, now - INTERACTION_WINDOW_SECONDS),
  )
  const active = await timed('read who is active', () =>
    readActive(storage, fids, now - ACTIVITY_WINDOW_SECONDS),
  )
  const seeds = seedsOf(fids)
  const trust = await timed('let trust flow', () => computeTrust(graph, seeds))
  await timed('rank', () => rankAccounts(graph, trust, { active, seeds, part: SETTINGS.part }))
  return { ...times, 'edges that count': String(graph.entries.length) }
}

async function server(): Promise<BadgeMeasures> {
  const onError = (error: unknown) => console.error(error)
  const log = { info() {}, warn() {}, error: onError }
  const jobs = new Runner({ storage, metrics: new Registry(), log })
  const badges = new Badges({
    storage,
    clock: { now: Date.now },
    settings: SETTINGS,
    runJob: jobs.run,
    onError,
  })
  jobs.add([badges.job])
  await jobs.start()
  const before = process.memoryUsage.rss()
  const delays = monitorEventLoopDelay({ resolution: PROBE_MS })
  delays.enable()
  const started = performance.now()
  await badges.runIfDue()
  const took = performance.now() - started
  delays.disable()
  const { fids } = await badges.current()
  await jobs.stop()
  const newest = await badges.set()
  return {
    'whole run, in its thread': `${seconds(took)} s`,
    badges: `${fids.length} (threshold ${JSON.parse(newest!.summary).threshold})`,
    'RSS before, and at most': `${megabytes(before)} and ${megabytes(process.resourceUsage().maxRSS * 1024)} MB`,
    'longest stall of the main thread': `${(delays.max / 1e6).toFixed(0)} ms`,
  }
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
