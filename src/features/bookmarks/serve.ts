import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { bookmarkRoutes } from './routes.ts'

export function serve({ find }: Server<unknown>): Module | undefined {
  const app = find(APP_API)
  return app && { name: 'bookmarks', routes: { app: bookmarkRoutes(app) } }
}
