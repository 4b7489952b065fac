import type { Registry } from 'prom-client'
import Type from 'typebox'
import { content, jsonAnswer, type Route, route } from '../http/route.ts'
import { type Check, createProbe } from './health.ts'
import { operatorAuth } from './operator-auth.ts'

export type { Check } from './health.ts'

export type OperationsOptions = {
  /** What has to answer before this process takes traffic. */
  checks: readonly Check[]
  registry: Registry
  /** Asked of everything but health, where given. */
  operatorSecret?: string | undefined
  checkTimeoutMs?: number
  /** What else is worth knowing, by name; it does not decide whether this process can serve. */
  details?: Readonly<Record<string, () => object | Promise<object>>>
}

/** The operations interface: is it alive, is it ready, how is it doing. */
export const operationsRoutes = (options: OperationsOptions): Route[] => [
  ...healthRoutes(options),
  ...operatorAuth(options.operatorSecret, [metricsRoute(options.registry)]),
]

const HEALTH = [{ name: 'Health', description: 'Whether the process lives and can serve.' }]
const METRICS = [{ name: 'Metrics', description: 'What the process has counted and timed.' }]

const NOT_STORED = { 'cache-control': 'no-store' }

const Live = Type.Object({ status: Type.Literal('ok') })

/** In words of each part's own. */
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

function healthRoutes({ checks, checkTimeoutMs, details = {} }: OperationsOptions): Route[] {
  const probe = createProbe(checks, checkTimeoutMs)
  return [
    route(
      {
        method: 'GET',
        path: '/health/live',
        summary: 'Whether the process answers at all',
        description: 'A supervisor should restart a process that fails this check.',
        reply: Live,
        tags: HEALTH,
      },
      () => jsonAnswer({ status: 'ok' }, { headers: NOT_STORED }),
    ),
    route(
      {
        method: 'GET',
        path: '/health/ready',
        summary: 'Whether the process can serve',
        description:
          '503 with the state of each check when it cannot; a load balancer should then send its requests elsewhere.',
        reply: Ready,
        otherReplies: { 503: Ready },
        tags: HEALTH,
      },
      async ({ request }) => {
        const states = await probe(request.log)
        const ok = Object.values(states).every((state) => state === 'ok')
        return jsonAnswer(
          { status: ok ? 'ok' : 'unavailable', checks: states, ...(await describe(details)) },
          { status: ok ? 200 : 503, headers: NOT_STORED },
        )
      },
    ),
  ]
}

async function describe(details: NonNullable<OperationsOptions['details']>) {
  const entries = Object.entries(details)
  if (entries.length === 0) return {}
  const described = entries.map(async ([name, detail]) => [name, await detail()] as const)
  return { details: Object.fromEntries(await Promise.all(described)) }
}

const metricsRoute = (registry: Registry): Route =>
  route(
    {
      method: 'GET',
      path: '/metrics',
      summary: 'Metrics in the Prometheus text format',
      description: 'Counters and timings of this process.',
      reply: Type.String(),
      contentType: 'text/plain',
      tags: METRICS,
    },
    async () => content(await registry.metrics(), registry.contentType, { headers: NOT_STORED }),
  )
