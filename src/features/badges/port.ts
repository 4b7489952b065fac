import { bind } from '../../kernel/http/route.ts'
import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { Badges, type BadgesOptions } from './badges.ts'
import { badgeRoutes, operatorBadgeRoutes } from './routes.ts'
import { type BadgeConfig, badgeSettingsOf } from './settings.ts'

export type { BadgeConfig } from './settings.ts'
export { standingIn } from './standing.ts'

export function createBadges(
  { storage, clock, onError }: PlatformContext,
  config: BadgeConfig,
  runJob: BadgesOptions['runJob'],
): PlatformFeature & { readonly badges: Badges } {
  const settings = badgeSettingsOf(config)
  const badges = new Badges({ storage, clock, onError, settings, runJob })
  return {
    badges,
    routes: bind({ badges }, badgeRoutes),
    operatorRoutes: bind({ badges }, operatorBadgeRoutes),
    jobs: [badges.job],
  }
}
