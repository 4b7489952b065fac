import type { Route } from '../http/route.ts'

/** Routes of the client platform: one rate limit covers all of them, unless a route has its own. */
export const limitedTogether = (routes: readonly Route[]): Route[] =>
  routes.map((declared) => ({ ...declared, spec: { limit: 'all', ...declared.spec } }))
