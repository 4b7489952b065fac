import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { MINI_APPS_OF_SERVER } from '../mini-apps/port.ts'
import { SITES } from '../web/port.ts'
import { SNAPS } from './port.ts'
import { snapRoutes } from './routes.ts'
import { Snaps } from './snaps.ts'

type Config = { readonly miniApps: string; readonly fetchLoopback: boolean }

export function serve({ config, clock, accounts, find, of, offer }: Server<Config>): Module {
  const snaps = new Snaps({
    ...{ clock, accounts },
    isOff: config.miniApps === 'off',
    allowLoopback: config.fetchLoopback,
    isBlocked: async (host) =>
      (await find(MINI_APPS_OF_SERVER)?.catalogue.isRemoved(host)) ?? false,
  })
  offer(SNAPS, snaps)
  return {
    name: 'snaps',
    routes: { web: bind({ snaps, sites: of(SITES) }, snapRoutes) },
    abort: () => snaps.stop(),
  }
}
