import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import type { Platform } from './platform.ts'
import { Result } from './schemas.ts'

/** The client platform's interface; one limit counts all of it. */
export const platformRoutes = (_platform: Platform): Route[] =>
  [...serverRoutes()].map(({ spec, handler }) => ({ spec: { limit: 'all', ...spec }, handler }))

/** What only the operator may do with it; for the operations interface. */
export const operatorPlatformRoutes = (_platform: Platform): Route[] => []

function serverRoutes(): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/healthcheck',
        summary: 'Whether the server answers',
        tags: ['Server'],
        reply: Result(Type.Object({ status: Type.Literal('ok') })),
      },
      () => HEALTHY,
    ),
  ]
}

const HEALTHY = { result: { status: 'ok' } } as const
