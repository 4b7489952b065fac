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

const NOT_STORED = { 'cache-control': 'no-store' }

const Live = Type.Object({ status: Type.Literal('ok') })

/** In words of each part's own. */
const Details = Type.Record(Type.String(), Type.Unsafe<object>({}))

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
        summary: 'Whether the process answers at all; a failure means restart it',
        reply: Live,
        tags: ['health'],
      },
      () => jsonAnswer({ status: 'ok' }, { headers: NOT_STORED }),
    ),
    route(
      {
        method: 'GET',
        path: '/health/ready',
        summary: 'Whether the process can serve; 503 with the state of each check when not',
        reply: Ready,
        errors: ['unavailable'],
        tags: ['health'],
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
      reply: Type.String(),
      contentType: 'text/plain',
      tags: ['metrics'],
    },
    async () => content(await registry.metrics(), registry.contentType, { headers: NOT_STORED }),
  )
