import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { listFeedRoutes } from './feed-routes.ts'
import { listRoutes } from './list-routes.ts'
import { tagRoutes } from './tag-routes.ts'

export function serve({ find, platform: { randomBytes } }: Server<unknown>): Module | undefined {
  const app = find(APP_API)
  if (!app) return undefined
  const needs = { ...app, randomBytes }
  return {
    name: 'lists',
    routes: { app: [...tagRoutes(needs), ...listRoutes(needs), ...listFeedRoutes(needs)] },
  }
}
