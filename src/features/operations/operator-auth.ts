import { checkOperator, OPERATOR_CALLS_OFF } from '../../kernel/http/auth.ts'
import type { Route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

/**
 * The same routes, requiring the operator's token: as a bearer token, or as a Basic password under any user
 * name. Without a configured token they stay open; their interface is bound to loopback then.
 */
export function operatorAuth(secret: string | undefined, routes: readonly Route[]): Route[] {
  if (secret === undefined || secret === '') return routes.map(openToAll)
  return routes.map(({ spec, handler }) => ({
    spec: {
      ...spec,
      errors: [...spec.errors, 'unauthenticated'],
    },
    admit: ({ authorization }) => checkOperator(secret, authorization),
    handler,
  }))
}

const openToAll = ({ spec, ...route }: Route): Route => ({
  ...route,
  spec: { ...spec, callers: 'anyone' },
})

/** The same routes where there has to be a token and none is set: each says so. */
export const operatorCallsOff = (routes: readonly Route[]): Route[] =>
  routes.map(({ spec, handler }) => ({
    spec: { ...spec, errors: [...spec.errors, 'unauthorized'] },
    admit() {
      throw new Rejection('unauthorized', OPERATOR_CALLS_OFF)
    },
    handler,
  }))
