import { Counter, Histogram, type Registry } from 'prom-client'
import { gaugeRegistrar } from '../http/metrics.ts'
import type { RejectionCode } from '../protocol/rejection.ts'

/** What the gRPC interface reports about itself. */
type GrpcMetrics = {
  ended(method: string, status: number, milliseconds: number): void
  rejected(code: RejectionCode): void
  delivered(events: number): void
}

const BUCKETS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
]

export function createGrpcMetrics(
  registry: Registry,
  gauges: {
    connections(): number
    subscriptions(): number
    unreadBytes(): number
    unreadCalls(): number
  },
): GrpcMetrics {
  const registers = [registry]
  const gauge = gaugeRegistrar(registers)
  const duration = new Histogram({
    name: 'grpc_request_duration_seconds',
    help: 'Calls that ended and the time they took; streams count when they end',
    labelNames: ['method', 'status'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  const rejections = new Counter({
    name: 'grpc_rejections_total',
    help: 'Calls refused, by the code of the refusal',
    labelNames: ['code'],
    registers,
  })
  const delivered = new Counter({
    name: 'grpc_events_delivered_total',
    help: 'Events written to Subscribe streams',
    registers,
  })
  gauge('grpc_connections', 'Open connections', gauges.connections)
  gauge('grpc_subscriptions', 'Open Subscribe streams', gauges.subscriptions)
  gauge('grpc_unread_bytes', 'Bytes of answers that clients have not read yet', gauges.unreadBytes)
  gauge('grpc_unread_calls', 'Calls with an answer that was not read yet', gauges.unreadCalls)

  return {
    ended: (method, status, milliseconds) =>
      duration.observe({ method, status }, milliseconds / 1_000),
    rejected: (code) => rejections.inc({ code }),
    delivered: (events) => delivered.inc(events),
  }
}
