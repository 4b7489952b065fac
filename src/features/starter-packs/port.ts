import { bind } from '../../kernel/http/route.ts'
import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { operatorStarterPackRoutes } from './operator-routes.ts'
import { starterPackRoutes } from './routes.ts'

export const createStarterPacks = (context: PlatformContext): PlatformFeature => ({
  routes: bind({ context }, starterPackRoutes),
  operatorRoutes: bind({ context }, operatorStarterPackRoutes),
})
