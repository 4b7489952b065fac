import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { PUSHES } from '../push/port.ts'
import { actingOn } from './acting.ts'
import { miniAppCatalogueRoutes, miniAppRoutes } from './app-api/routes.ts'
import { miniAppDeliveryRoutes } from './delivery-routes.ts'
import { readEmbed } from './embed.ts'
import { eraseMiniApps } from './erasing.ts'
import { miniAppOperations } from './mini-apps.ts'
import { operatorMiniAppRoutes } from './operator-routes.ts'
import { MINI_APPS_OF_SERVER } from './port.ts'
import { miniAppReadRoutes } from './read-routes.ts'
import { type MiniAppConfig, miniAppSettingsOf } from './settings.ts'
import { miniAppWriteRoutes } from './write-routes.ts'

type Config = Parameters<typeof miniAppSettingsOf>[0] & MiniAppConfig

export function serve(server: Server<Config>): Module {
  const { config, mode, signingNetwork, storage, find, offer } = server
  const chainId = signingNetwork.source === 'chain' ? signingNetwork.chainId : undefined
  const settings = miniAppSettingsOf(config, mode, chainId)
  const context = { ...server.platform, settings, pushes: () => find(PUSHES) }
  const miniApps = miniAppOperations(context, server)
  offer(MINI_APPS_OF_SERVER, {
    catalogue: miniApps.catalogue,
    readCard: (content, page) =>
      miniApps.isOff
        ? undefined
        : readEmbed(content, page, { allowLoopback: config.fetchLoopback }).embed,
  })
  const needs = { context, miniApps }
  const app = find(APP_API)
  const routes = [...miniAppReadRoutes, ...miniAppWriteRoutes, ...miniAppDeliveryRoutes]
  return {
    name: 'mini apps',
    routes: {
      platform: limitedTogether(bind(needs, routes)),
      app: app && [
        ...miniAppCatalogueRoutes(app),
        ...miniAppRoutes({ ...app, miniApps: actingOn(miniApps, context) }),
      ],
    },
    operatorRoutes: bind(needs, operatorMiniAppRoutes),
    jobs: miniApps.jobs,
    erase: eraseMiniApps(storage),
  }
}
