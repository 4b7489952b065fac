// The common budget follows the load. The operator's setting is only its maximum: how much a thread can really serve
// depends on the machine, and on how well the prices of requests fit it.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'
import type { Mode } from '../base/setting.ts'
import { UNITS_PER_CPU_SECOND } from './cost.ts'
import type { CostBudget } from './cost-budget.ts'
import { processQueue } from './fair-queue.ts'

const PERIOD_MS = 1_000
/** Half of all requests wait longer than this only when more are admitted than can be served. */
export const MAX_LAG_MS = 100
/** The budget falls to what a machine can serve within seconds, and grows from half a core to ten within a minute. */
const DECREASE = 0.8
const INCREASE = 1.05
/** Half a core is left in any case, so that a machine that is busy with something else still serves ordinary clients. */
const LEAST_UNITS_PER_SECOND = UNITS_PER_CPU_SECOND / 2

/** The share of the common budget after a period in which the event loop was this late. */
export function nextShare(share: number, lagMs: number, totalUnitsPerSecond: number): number {
  const least = LEAST_UNITS_PER_SECOND / totalUnitsPerSecond
  return Math.min(1, Math.max(least, share * (lagMs > MAX_LAG_MS ? DECREASE : INCREASE)))
}

/** Says how late the event loop was since it was last asked. */
export type LagMeter = { start(): void; takeMs(): number; stop(): void }

type LoadShareOptions = {
  readonly mode: Mode
  readonly metrics: Registry
  readonly costs: CostBudget
  readonly lag?: LagMeter
}

/** A module that adapts the common budget every second, in production. */
export function createLoadShare({ mode, metrics, costs, lag = eventLoopLag() }: LoadShareOptions) {
  let timer: NodeJS.Timeout | undefined
  new Gauge({
    name: 'rookery_common_budget_share',
    help: 'Share of ROOKERY_TOTAL_CPU_PERCENT that all clients together may use: below 1 after overload',
    registers: [metrics],
    collect() {
      this.set(costs.totalShare)
    },
  })
  const adapt = () =>
    costs.setTotalShare(nextShare(costs.totalShare, lag.takeMs(), costs.limits.totalUnitsPerSecond))
  return {
    name: 'load share',
    async start() {
      if (mode === 'development') return
      lag.start()
      timer = setInterval(adapt, PERIOD_MS).unref()
    },
    async stop() {
      clearInterval(timer)
      lag.stop()
    },
  }
}

const RESOLUTION_MS = 20

/** The median delay of a timer or of a turn of a client in the queue, whichever is longer. One long pause changes neither. */
function eventLoopLag(): LagMeter {
  const intervals = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  return {
    start: () => intervals.enable(),
    takeMs() {
      // The time between two runs of the timer, which is its resolution when nothing delays it.
      const lagMs = intervals.percentile(50) / 1e6 - RESOLUTION_MS
      intervals.reset()
      return Math.max(lagMs, processQueue.takeMedianWaitMs())
    },
    stop: () => intervals.disable(),
  }
}
