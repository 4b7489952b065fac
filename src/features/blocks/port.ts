import { bind } from '../../kernel/http/route.ts'
import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { block, unblock } from './blocks.ts'
import { blockRoutes, operatorBlockRoutes } from './routes.ts'

export type Blocks = {
  block(blocker: number, blocked: number): Promise<void>
  unblock(blocker: number, blocked: number): Promise<void>
}

export const createBlocks = (context: PlatformContext): Blocks & PlatformFeature => ({
  block: (blocker, blocked) => block(context, blocker, blocked),
  unblock: (blocker, blocked) => unblock(context, blocker, blocked),
  routes: bind({ context }, blockRoutes),
  operatorRoutes: bind({ context }, operatorBlockRoutes),
})
