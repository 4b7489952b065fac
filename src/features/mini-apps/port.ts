import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { actingOn } from './acting.ts'
import { miniAppDeliveryRoutes } from './delivery-routes.ts'
import { type MiniApps, miniAppOperations, type Observers } from './mini-apps.ts'
import { operatorMiniAppRoutes } from './operator-routes.ts'
import { miniAppReadRoutes } from './read-routes.ts'
import type { MiniAppSettings } from './settings.ts'
import { miniAppWriteRoutes } from './write-routes.ts'

export { eraseMiniApps } from './erasing.ts'
export { type MiniAppConfig, miniAppSettingsOf } from './settings.ts'

type MiniAppFeature = MiniApps & PlatformFeature & { readonly acting: ReturnType<typeof actingOn> }

export function createMiniApps(
  platform: PlatformContext,
  { settings, ...observers }: Observers & { readonly settings: MiniAppSettings },
): MiniAppFeature {
  const context = { ...platform, settings }
  const miniApps = miniAppOperations(context, observers)
  const needs = { context, miniApps }
  return {
    ...miniApps,
    acting: actingOn(miniApps, context),
    routes: [...miniAppReadRoutes, ...miniAppWriteRoutes, ...miniAppDeliveryRoutes].map((of) =>
      of(needs),
    ),
    operatorRoutes: operatorMiniAppRoutes.map((of) => of(needs)),
  }
}
