import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { type Random, randomFrom, runSeed } from '../../../test/random.ts'
import type { Mode } from '../base/setting.ts'
import { UNITS_PER_CPU_SECOND } from './cost.ts'
import { CostBudget, costLimitsOf } from './cost-budget.ts'
import { createLoadShare, MAX_LAG_MS, nextShare } from './load-share.ts'

const CORE = UNITS_PER_CPU_SECOND

/** In which single clients are not limited. */
const productionBudget = (nowMs: () => number, totalCpuPercent = 1_000) =>
  new CostBudget(
    costLimitsOf({ clientCpuPercent: 1_000_000, totalCpuPercent }, 'production'),
    nowMs,
  )

const REFUSAL_MS = 0.08
/** On average. */
const REPEAT_AFTER_MS = 1_000
const SAMPLE_MS = 20

type Client = {
  readonly connections: number
  readonly unitsEach: number
  /** Between an answer and the next request of a connection. */
  readonly pauseMs: number
}
type Second = {
  lagMs: number
  share: number
  unitsPerMs: number
  readonly refused: Set<number>
}

/** An event loop that does so many units in a second, and answers all requests that are there before it looks again. */
function modelServer(unitsPerSecond: number, random: Random) {
  let now = 0
  const costs = productionBudget(() => now)

  function answer({ client, i }: { client: Client; i: number }, second: Second): number {
    const isRefused = costs.tryConsume(`192.0.2.${i}`, client.unitsEach) !== undefined
    now += isRefused ? REFUSAL_MS : (client.unitsEach / unitsPerSecond) * 1_000
    if (isRefused) second.refused.add(i)
    else second.unitsPerMs += client.unitsEach / 1_000
    return now + (isRefused ? random.int(2 * REPEAT_AFTER_MS) : client.pauseMs)
  }

  /** One second, with the median lateness of a timer. */
  function runSecond(connections: { client: Client; i: number; asksAt: number }[]): Second {
    const second: Second = { lagMs: 0, share: 1, unitsPerMs: 0, refused: new Set() }
    const lags: number[] = []
    const startedAt = now
    let sampleAt = now + SAMPLE_MS
    for (const until = now + 1_000; now < until; ) {
      const began = now
      for (const one of connections) if (one.asksAt <= began) one.asksAt = answer(one, second)
      if (now === began) now++
      if (now < sampleAt) continue
      lags.push(now - sampleAt)
      sampleAt = now + SAMPLE_MS
    }
    second.unitsPerMs *= 1_000 / (now - startedAt)
    second.lagMs = lags.sort((a, b) => a - b)[lags.length >> 1]!
    costs.setTotalShare(nextShare(costs.totalShare, second.lagMs, costs.limits.totalUnitsPerSecond))
    return { ...second, share: costs.totalShare }
  }

  return (seconds: number, clients: readonly Client[]): Second[] => {
    const connections = clients.flatMap((client, i) =>
      Array.from({ length: client.connections }, () => ({ client, i, asksAt: now })),
    )
    return Array.from({ length: seconds }, () => runSecond(connections))
  }
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, one) => sum + one, 0) / values.length

test('an overloaded server soon admits what it can serve, without lag, refuses only who asks for most, and recovers', () => {
  const seed = runSeed()
  const random = randomFrom(seed)
  for (let round = 0; round < 2; round++) {
    // What a machine does differs from what the prices say.
    const capacity = CORE * (0.7 + random.int(180) / 100)
    const unitsEach = 20 + random.int(60)
    const greedy = Array.from({ length: 10 + random.int(20) }, () => ({
      connections: 20,
      unitsEach,
      pauseMs: 5,
    }))
    const modestUnits = (0.3 * capacity) / (greedy.length + 1)
    const modest = { connections: 1, unitsEach: 10, pauseMs: 10_000 / modestUnits }
    const run = modelServer(capacity, random)
    const what = `seed ${seed}, round ${round}, ${capacity} units a second, ${greedy.length} greedy clients`

    const [first, ...attacked] = run(100, [modest, ...greedy])
    assert.ok(first!.lagMs > 2 * MAX_LAG_MS, `${what}: it is overloaded`)
    const settled = attacked.slice(40)
    const lagMs = mean(settled.map((one) => one.lagMs))
    assert.ok(lagMs < 2.5 * MAX_LAG_MS, `${what}: ${lagMs} ms late`)
    const units = mean(settled.map((one) => one.unitsPerMs)) * 1_000
    assert.ok(units > 0.85 * capacity && units < 1.01 * capacity, `${what}: ${units} units served`)
    assert.ok(!settled.some(({ refused }) => refused.has(0)), `${what}: the modest one is refused`)

    const quiet = run(90, [modest])
    assert.equal(quiet.at(-1)!.share, 1, what)
    assert.ok(!quiet.some(({ refused }) => refused.size > 0), what)
  }
})

test('the share of the common budget is never more than 1, nor less than half a core', () => {
  const total = 10 * CORE
  assert.equal(nextShare(1, 0, total), 1)
  assert.equal(nextShare(1, MAX_LAG_MS, total), 1)
  assert.ok(nextShare(1, MAX_LAG_MS + 1, total) < 1)
  let share = 1
  for (let i = 0; i < 100; i++) share = nextShare(share, 10_000, total)
  assert.equal(share * total, CORE / 2)
  assert.equal(nextShare(1, 10_000, CORE / 4), 1, 'a setting below half a core stays as it is')
})

test('a production server follows its load until it is stopped, and one in development never does', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const start = async (mode: Mode) => {
    const metrics = new Registry()
    const costs = productionBudget(() => 0)
    const calls: string[] = []
    const lag = {
      start: () => calls.push('start'),
      takeMs: () => 1_000,
      stop: () => calls.push('stop'),
    }
    const module = createLoadShare({ mode, metrics, costs, lag })
    await module.start()
    const share = async () =>
      Number(/^rookery_common_budget_share (.*)$/m.exec(await metrics.metrics())?.[1])
    return { module, costs, calls, share }
  }
  const [production, development] = [await start('production'), await start('development')]
  assert.equal(await production.share(), 1)
  t.mock.timers.tick(60_000)
  assert.equal(await production.share(), 0.05)
  assert.equal(await development.share(), 1)
  // Five seconds of half a core can be saved, and one client may spend half of that.
  assert.equal(production.costs.tryConsume('192.0.2.1', 2.5 * CORE - 1)?.by, undefined)
  assert.equal(production.costs.tryConsume('192.0.2.2', CORE)?.by, 'all')
  assert.equal(development.costs.tryConsume('192.0.2.2', CORE), undefined)

  await production.module.stop()
  await development.module.stop()
  production.costs.setTotalShare(1)
  t.mock.timers.tick(60_000)
  assert.equal(await production.share(), 1)
  assert.deepEqual(production.calls, ['start', 'stop'])
})
