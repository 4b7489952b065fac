import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { metricsRoutes } from './metrics-route.ts'
import { searchRoutes } from './search-routes.ts'
import { userLookupRoutes } from './user-lookups.ts'

export function serve({ find }: Server<unknown>): Module | undefined {
  const app = find(APP_API)
  return (
    app && {
      name: 'search',
      routes: { app: [...searchRoutes(app), ...metricsRoutes(app), ...userLookupRoutes(app)] },
    }
  )
}
