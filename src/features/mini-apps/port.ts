import { bind } from '../../kernel/http/route.ts'
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
export { miniAppDeliveryRows } from './tables/mini-app-deliveries.ts'
export { miniAppNoticeRows } from './tables/mini-app-notices.ts'
export { miniAppUserRows } from './tables/mini-app-users.ts'
export { miniAppRows } from './tables/mini-apps.ts'
export type { MiniAppCard } from './text/card.ts'

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
    routes: bind(needs, [...miniAppReadRoutes, ...miniAppWriteRoutes, ...miniAppDeliveryRoutes]),
    operatorRoutes: bind(needs, operatorMiniAppRoutes),
  }
}
