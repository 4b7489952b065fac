import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { Badges } from './badges.ts'
import { BADGES } from './port.ts'
import { badgeRoutes, operatorBadgeRoutes } from './routes.ts'
import { type BadgeConfig, badgeSettingsOf } from './settings.ts'

export function serve(server: Server<BadgeConfig>): Module {
  const { storage, clock, onError, jobs, config, offer } = server
  const settings = badgeSettingsOf(config)
  const badges = new Badges({ storage, clock, onError, settings, runJob: jobs.run })
  offer(BADGES, badges)
  return {
    name: 'badges',
    routes: { platform: limitedTogether(bind({ badges }, badgeRoutes)) },
    operatorRoutes: bind({ badges }, operatorBadgeRoutes),
    jobs: [badges.job],
  }
}
