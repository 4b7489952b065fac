import { bind } from '../../kernel/http/route.ts'
import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { addressRoutes } from './routes.ts'

export const createAddresses = (context: PlatformContext): PlatformFeature => ({
  routes: bind({ context }, addressRoutes),
})
