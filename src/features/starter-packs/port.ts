import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { operatorStarterPackRoutes } from './operator-routes.ts'
import { starterPackRoutes } from './routes.ts'

export const createStarterPacks = (context: PlatformContext): PlatformFeature => ({
  routes: starterPackRoutes.map((of) => of({ context })),
  operatorRoutes: operatorStarterPackRoutes.map((of) => of({ context })),
})
