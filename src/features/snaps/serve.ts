import { unixSeconds } from '../../kernel/base/clock.ts'
import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { MINI_APPS_OF_SERVER } from '../mini-apps/port.ts'
import { SITES } from '../web/port.ts'
import { pressForUser } from './app-route.ts'
import { SNAPS } from './port.ts'
import { snapRoutes } from './routes.ts'
import { Snaps } from './snaps.ts'

type Config = { readonly miniApps: string; readonly fetchLoopback: boolean }

export function serve(server: Server<Config>): Module {
  const { config, clock, storage, accounts, platform, find, of, offer } = server
  const snaps = new Snaps({
    ...{ clock, accounts, resets: storage.resets },
    isKeyHere: (fid, key) => platform.isActiveKey(fid, key),
    checkMayAct: (fid) => platform.checkMayAct(fid),
    isOff: config.miniApps === 'off',
    allowLoopback: config.fetchLoopback,
    removedHosts: async (hosts) =>
      (await find(MINI_APPS_OF_SERVER)?.catalogue.removedHosts(hosts)) ?? new Set(),
  })
  offer(SNAPS, snaps)
  const needs = { snaps, sites: of(SITES) }
  const app = find(APP_API)
  const nowSeconds = () => unixSeconds(clock)
  return {
    name: 'snaps',
    routes: {
      web: bind(needs, snapRoutes),
      app: app && bind({ ...app, ...needs, nowSeconds }, [pressForUser]),
    },
    abort: () => snaps.stop(),
  }
}
