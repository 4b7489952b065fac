import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RejectionCode } from '../protocol/rejection.ts'

/** Counts and times the answers of the interfaces. */
export type HttpMetrics = {
  /** Makes the observer of one route of one interface. */
  route(name: string, route: string): RouteObserver
  /** Counts a refusal by its code. */
  rejected(name: string, code: RejectionCode): void
}

export type RouteObserver = (method: string, status: number, milliseconds: number) => void

export type Metrics = { registry: Registry; http: HttpMetrics }

/** From an answer out of memory to one that no client waits for any more. */
const BUCKETS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
]

/**
 * Default metrics that ask Node for the objects of its handles and requests. Node ends the process when one of those
 * objects was already collected as garbage. `nodejs_active_resources` has the same numbers from a call that is safe.
 */
const UNSAFE_METRICS = ['nodejs_active_handles', 'nodejs_active_requests'].flatMap((name) => [
  name,
  `${name}_total`,
])

/** How often the event loop is looked at. The default of 10 ms takes a seventh of an idle server's CPU. */
const LAG_PRECISION_MS = 50

/**
 * Metrics of the process, which all its servers share: they watch its event loop and its garbage collector and are
 * never taken down.
 */
let ofProcess: Registry | undefined

function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({
      register: ofProcess,
      eventLoopMonitoringPrecision: LAG_PRECISION_MS,
    })
    for (const name of UNSAFE_METRICS) ofProcess.removeSingleMetric(name)
  }
  return ofProcess
}

/** Values that are passed to the histogram together. */
const BATCH_VALUES = 128

/**
 * Passes values to a histogram in batches. For each value it finds its labels again, which costs 2 us between the work of
 * two requests and a quarter of that in a loop.
 */
class BatchObserver {
  readonly #histogram: Histogram.Internal<string>
  readonly #values = new Float64Array(BATCH_VALUES)
  #count = 0

  constructor(histogram: Histogram.Internal<string>) {
    this.#histogram = histogram
  }

  observe(value: number): void {
    this.#values[this.#count++] = value
    if (this.#count === BATCH_VALUES) this.flush()
  }

  flush(): void {
    for (let i = 0; i < this.#count; i++) this.#histogram.observe(this.#values[i]!)
    this.#count = 0
  }
}

/** A metrics registry with the metrics of the process and of HTTP. */
export function createMetrics(): Metrics {
  const shared = processMetrics()
  const registry = new Registry()
  for (const { name } of shared.getMetricsAsArray()) {
    registry.registerMetric(shared.getSingleMetric(name)!)
  }
  const observers: BatchObserver[] = []
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests answered and the time they took',
    labelNames: ['interface', 'route', 'method', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
    collect() {
      for (const observer of observers) observer.flush()
    },
  })
  const rejections = new Counter({
    name: 'http_rejections_total',
    help: 'Requests refused, by the code the caller was given',
    labelNames: ['interface', 'code'],
    registers: [registry],
  })
  return {
    registry,
    http: {
      route(name, route) {
        const own = new Map<string, BatchObserver>()
        return (method, status, milliseconds) => {
          const key = method + status
          let observer = own.get(key)
          if (!observer) {
            observer = new BatchObserver(
              duration.labels({ interface: name, route, method, status }),
            )
            observers.push(observer)
            own.set(key, observer)
          }
          observer.observe(milliseconds / 1000)
        }
      },
      rejected: (name, code) => rejections.inc({ interface: name, code }),
    },
  }
}

/** Returns a function that registers a gauge without labels, which is read at each scrape; undefined leaves it as it is. */
export const gaugeRegistrar =
  (registers: Registry[]) =>
  (
    name: string,
    help: string,
    read: () => Promise<number | undefined> | number | undefined,
  ): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await read()
        if (value !== undefined) this.set(value)
      },
    })
  }
