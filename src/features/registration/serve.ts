import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { FidStock } from './registrations.ts'
import { registrationRoutes } from './routes.ts'

export function serve({ storage, clock, ledger, find }: Server<unknown>): Module | undefined {
  const app = find(APP_API)
  if (!app) return undefined
  const terms = { storage, secrets: app.secrets, registrations: ledger }
  const fids = new FidStock({ ...terms, now: () => unixSeconds(clock) })
  return {
    name: 'registration',
    routes: { app: registrationRoutes({ ...app, fids, registrations: ledger }) },
  }
}
