import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { Catalogue } from './catalogue.ts'
import { operatorActionRoutes } from './operator-routes.ts'
import { ACTIONS } from './port.ts'
import { actionRoutes } from './routes.ts'

type Config = {
  /** Whether documents may be on this machine, over http. */
  readonly fetchLoopback: boolean
}

export function serve({ platform: context, config, offer }: Server<Config>): Module {
  const catalogue = new Catalogue(context, { allowLoopback: config.fetchLoopback })
  offer(ACTIONS, { catalogue })
  const needs = { context, catalogue }
  return {
    name: 'actions',
    routes: { platform: limitedTogether(bind(needs, actionRoutes)) },
    operatorRoutes: bind(needs, operatorActionRoutes),
    jobs: [catalogue.job],
  }
}
