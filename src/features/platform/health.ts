import Type from 'typebox'
import { route } from '../../kernel/http/route.ts'
import { Result } from '../../kernel/platform/schemas.ts'

const HEALTHY = { result: { status: 'ok' } } as const

export const health = route('GET /healthcheck', {
  callers: 'anyone',
  summary: 'Whether the server answers',
  description: 'For load balancers; it does not look at the database.',
  tags: [{ name: 'Server', description: 'The state of this server.' }],
  reply: Result(Type.Object({ status: Type.Literal('ok') })),
  errors: [],
  cost: 'lookup',
  handler: async () => HEALTHY,
})
