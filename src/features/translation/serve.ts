import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { operatorTranslationRoutes } from './operator-routes.ts'
import { translationRoutes } from './routes.ts'
import { Translations } from './translations.ts'

export function serve({ storage, clock, find }: Server<unknown>): Module | undefined {
  const app = find(APP_API)
  if (!app) return undefined
  const { secrets, allowLoopback, nowMs } = app
  const rules = { allowLoopback }
  const translations = new Translations({ storage, secrets, rules, nowMs })
  const now = () => unixSeconds(clock)
  return {
    name: 'translation',
    routes: { app: translationRoutes({ ...app, translations }) },
    operatorRoutes: operatorTranslationRoutes({ storage, secrets, rules, translations, now }),
    abort: () => translations.abort(),
  }
}
