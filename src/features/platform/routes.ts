import Type from 'typebox'
import { type Route, route } from '../../kernel/http/route.ts'
import type { PlatformFeature } from '../../kernel/platform/context.ts'
import { Result } from '../../kernel/platform/schemas.ts'
import { pageRoutes } from './pages/routes.ts'

const HEALTHY = { result: { status: 'ok' } } as const

const health = route('GET /healthcheck', {
  callers: 'anyone',
  summary: 'Whether the server answers',
  description: 'For load balancers; it does not look at the database.',
  tags: [{ name: 'Server', description: 'The state of this server.' }],
  reply: Result(Type.Object({ status: Type.Literal('ok') })),
  errors: [],
  cost: 'lookup',
  handler: async () => HEALTHY,
})

/** The routes of the client platform; one rate limit covers all of them. */
export const platformRoutes = (features: readonly PlatformFeature[]): Route[] =>
  [...features.flatMap(({ routes }) => routes), health, ...pageRoutes()].map((declared) => ({
    ...declared,
    spec: { limit: 'all', ...declared.spec },
  }))
