import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { metricsRoutes } from './metrics-route.ts'
import { FIND_PEOPLE } from './port.ts'
import { namesAsked, searchRoutes } from './search-routes.ts'
import { userLookupRoutes } from './user-lookups.ts'

const EVERYBODY = { app: '', viewer: undefined }

export function serve({ find, offer }: Server<unknown>): Module | undefined {
  const app = find(APP_API)
  if (!app) return undefined
  offer(FIND_PEOPLE, (text, limit) =>
    app.search.usersWithWords({ ...namesAsked(text), viewer: EVERYBODY, limit, offset: 0 }),
  )
  return {
    name: 'search',
    routes: { app: [...searchRoutes(app), ...metricsRoutes(app), ...userLookupRoutes(app)] },
  }
}
