import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { addressRoutes } from './routes.ts'

export const createAddresses = (context: PlatformContext): PlatformFeature => ({
  routes: addressRoutes.map((of) => of({ context })),
})
