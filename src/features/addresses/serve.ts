import { bind } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { addressRoutes } from './routes.ts'

export const serve = ({ platform: context }: Server<unknown>): Module => ({
  name: 'addresses',
  routes: { platform: limitedTogether(bind({ context }, addressRoutes)) },
})
