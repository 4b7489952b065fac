import type { Registry } from 'prom-client'
import Type from 'typebox'
import { content, jsonAnswer, type Route, route } from '../../kernel/http/route.ts'
import { type Check, createProbe } from './health.ts'
import { operatorAuth } from './operator-auth.ts'
import { GAUGES_SCANNED } from './sampled-metrics.ts'

export type { Check } from './health.ts'

export type OperationsOptions = {
  /** Checks that must succeed before this process takes traffic. */
  checks: readonly Check[]
  registry: Registry
  /** The token that everything but health requires, if there is one. */
  operatorSecret?: string | undefined
  checkTimeoutMs?: number
  /** Further facts by name; they do not affect readiness. */
  details?: Readonly<Record<string, () => object | Promise<object>>>
}

/** The operations interface: liveness, readiness, metrics and details. */
export const operationsRoutes = (options: OperationsOptions): Route[] => [
  ...healthRoutes(options),
  ...operatorAuth(options.operatorSecret, [metricsRoute(options.registry)]),
]

const HEALTH = [{ name: 'Health', description: 'Whether the process lives and can serve.' }]
const METRICS = [{ name: 'Metrics', description: 'What the process has counted and timed.' }]

const NOT_STORED = { 'cache-control': 'no-store' }

const Live = Type.Object({ status: Type.Literal('ok') })

const Status = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]),
})

/** Facts of each part. */
const Details = Type.Record(
  Type.String(),
  Type.Unsafe<object>({
    type: 'object',
    $comment: 'Open: each part of the server has its own details.',
  }),
)

const Ready = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]),
  checks: Type.Record(
    Type.String(),
    Type.Union([Type.Literal('ok'), Type.Literal('failed'), Type.Literal('timed out')]),
  ),
  details: Type.Optional(Details),
})

const liveRoute = (): Route =>
  route('GET /health/live', {
    callers: 'anyone',
    summary: 'Whether the process answers at all',
    description: 'A supervisor should restart a process that fails this check.',
    reply: Live,
    tags: HEALTH,
    errors: [],
    cost: 'lookup',
    handler: () => jsonAnswer({ status: 'ok' }, { headers: NOT_STORED }),
  })

/** How long public requests get the answer of an earlier check, so that many of them cost no more than one. */
const READY_MAX_AGE_MS = 500

/** Health for load balancers on other machines: what it says and what it costs is fit for the public. */
export function publicHealthRoutes({
  checks,
  checkTimeoutMs,
}: Pick<OperationsOptions, 'checks' | 'checkTimeoutMs'>): Route[] {
  const probe = createProbe(checks, checkTimeoutMs)
  let asked: ReturnType<typeof probe> | undefined
  let askedAt = 0
  const states: typeof probe = (log) => {
    const now = performance.now()
    if (!asked || now - askedAt >= READY_MAX_AGE_MS) {
      asked = probe(log)
      askedAt = now
    }
    return asked
  }
  return [
    liveRoute(),
    route('GET /health/ready', {
      callers: 'anyone',
      summary: 'Whether the process can serve',
      description: '503 when it cannot; a load balancer should then send its requests elsewhere.',
      reply: Status,
      otherReplies: { 503: Status },
      tags: HEALTH,
      errors: [],
      cost: 'lookup',
      handler: async (_, { request }) => {
        const isOk = areOk(await states(request.log))
        return jsonAnswer(
          { status: isOk ? 'ok' : 'unavailable' },
          { status: isOk ? 200 : 503, headers: NOT_STORED },
        )
      },
    }),
  ]
}

const areOk = (states: Readonly<Record<string, string>>): boolean =>
  Object.values(states).every((state) => state === 'ok')

function healthRoutes({ checks, checkTimeoutMs, details = {} }: OperationsOptions): Route[] {
  const probe = createProbe(checks, checkTimeoutMs)
  return [
    liveRoute(),
    route('GET /health/ready', {
      callers: 'anyone',
      summary: 'Whether the process can serve',
      description:
        '503 with the state of each check when it cannot; a load balancer should then send its requests elsewhere.',
      reply: Ready,
      otherReplies: { 503: Ready },
      tags: HEALTH,
      errors: [],
      cost: 'lookup',
      handler: async (_, { request }) => {
        const states = await probe(request.log)
        const ok = areOk(states)
        return jsonAnswer(
          { status: ok ? 'ok' : 'unavailable', checks: states, ...(await describe(details)) },
          { status: ok ? 200 : 503, headers: NOT_STORED },
        )
      },
    }),
  ]
}

async function describe(details: NonNullable<OperationsOptions['details']>) {
  const entries = Object.entries(details)
  if (entries.length === 0) return {}
  const described = entries.map(async ([name, detail]) => [name, await detail()] as const)
  return { details: Object.fromEntries(await Promise.all(described)) }
}

export const metricsRoute = (registry: Registry): Route =>
  route('GET /metrics', {
    callers: 'operator',
    summary: 'Metrics in the Prometheus text format',
    description: 'Counters and timings of this process.',
    reply: Type.String(),
    contentType: 'text/plain',
    tags: METRICS,
    errors: [],
    cost: { cpu: 'moderate', scanned: GAUGES_SCANNED },
    handler: async () =>
      content(await registry.metrics(), registry.contentType, { headers: NOT_STORED }),
  })
