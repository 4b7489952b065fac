import { Writable } from 'node:stream'
import type { App } from '../src/app.ts'
import {
  createInterface,
  type Interface,
  type InterfaceOptions,
} from '../src/kernel/http/interface.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { createMetrics } from '../src/kernel/http/metrics.ts'
import type { Route } from '../src/kernel/http/route.ts'
import { CostBudget, type CostLimits } from '../src/kernel/limits/cost-budget.ts'

/** All routes of a feature of the client platform, those of the operator included. */
export const routesOf = ({ modules }: Pick<App, 'modules'>, name: string): Route[] => {
  const module = modules.find((one) => one.name === name)
  return [...(module?.routes?.platform ?? []), ...(module?.operatorRoutes ?? [])]
}

/** Starts an interface with the given routes for a test. Returns it with its log lines and its metrics. */
export function serve(
  routes: readonly Route[],
  options: Partial<InterfaceOptions> = {},
): Interface & { logged: Record<string, unknown>[]; metrics(): Promise<string> } {
  const logged: Record<string, unknown>[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const { registry, http } = createMetrics()
  const served = createInterface({
    name: 'hub',
    title: 'Test',
    description: 'Routes of a test',
    version: '1.2.3',
    errors: 'hub',
    routes,
    logger: createLogger({ level: 'debug', destination }),
    metrics: http,
    ...options,
  })
  return { ...served, logged, metrics: () => registry.metrics() }
}

export const COST_LIMITS: CostLimits = {
  unitsPerSecond: 100,
  principalUnitsPerSecond: 50,
  totalUnitsPerSecond: 250,
  burstSeconds: 10,
  totalBurstSeconds: 10,
  exemptLoopback: false,
}

/** A cost budget with a clock that the test advances. */
export function costBudget(limits: Partial<CostLimits> = {}) {
  let now = 0
  const advance = (ms: number) => {
    now += ms
  }
  return { costs: new CostBudget({ ...COST_LIMITS, ...limits }, () => now), advance }
}
