import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { block, unblock } from './blocks.ts'
import { BLOCKS_OF_USERS } from './port.ts'
import { blockRoutes, operatorBlockRoutes } from './routes.ts'

export function serve({ platform: context, offer }: Server<unknown>): Module {
  offer(BLOCKS_OF_USERS, {
    block: (blocker, blocked) => block(context, blocker, blocked),
    unblock: (blocker, blocked) => unblock(context, blocker, blocked),
  })
  return {
    name: 'blocks',
    routes: { platform: limitedTogether(bind({ context }, blockRoutes)) },
    operatorRoutes: bind({ context }, operatorBlockRoutes),
  }
}
