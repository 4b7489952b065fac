import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { operatorStarterPackRoutes } from './operator-routes.ts'
import { starterPackRoutes } from './routes.ts'

export const serve = ({ platform: context }: Server<unknown>): Module => ({
  name: 'starter packs',
  routes: { platform: limitedTogether(bind({ context }, starterPackRoutes)) },
  operatorRoutes: bind({ context }, operatorStarterPackRoutes),
})
