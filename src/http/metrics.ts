import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Counts and times requests; its bookkeeping is done once a route, not once a request. */
export type HttpMetrics = {
  /** The observer of one route of one interface. */
  route(labels: { interface: string; route: string }): RouteMetrics
}

export type RouteMetrics = {
  observe(method: string, status: number, milliseconds: number): void
}

export type Metrics = { registry: Registry; http: HttpMetrics }

/** From a cached read to a request nobody waits for any more. */
const BUCKETS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
]

/** A registry of its own, with the metrics of the process and those of HTTP. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests answered and the time they took, by interface, route, method and status',
    labelNames: ['interface', 'route', 'method', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  })
  return {
    registry,
    http: {
      route: (labels) => ({
        observe: (method, status, milliseconds) =>
          duration.observe({ ...labels, method, status }, milliseconds / 1000),
      }),
    },
  }
}
