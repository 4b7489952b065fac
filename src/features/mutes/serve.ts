import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { muteRoutes } from './mute-routes.ts'
import { MUTED_TERMS_OF_USERS } from './port.ts'
import { mutedTermRows } from './tables/muted-terms.ts'

export function serve({ find, offer }: Server<unknown>): Module | undefined {
  offer(MUTED_TERMS_OF_USERS, ({ of }, fid) => of(mutedTermRows).of(fid))
  const app = find(APP_API)
  return app && { name: 'mutes', routes: { app: muteRoutes(app) } }
}
