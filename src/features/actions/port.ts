import { bind } from '../../kernel/http/route.ts'
import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { Catalogue } from './catalogue.ts'
import { operatorActionRoutes } from './operator-routes.ts'
import { actionRoutes } from './routes.ts'

export type ActionConfig = {
  /** Whether documents may be on this machine, over http. */
  readonly fetchLoopback: boolean
}

export function createActions(
  context: PlatformContext,
  { fetchLoopback }: ActionConfig,
): PlatformFeature & { readonly catalogue: Catalogue } {
  const catalogue = new Catalogue(context, { allowLoopback: fetchLoopback })
  const needs = { context, catalogue }
  return {
    catalogue,
    routes: bind(needs, actionRoutes),
    operatorRoutes: bind(needs, operatorActionRoutes),
    jobs: [catalogue.job],
  }
}
