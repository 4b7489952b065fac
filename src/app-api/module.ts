import type { Limit } from '../http/options.ts'
import type { HttpConfig } from '../http/settings.ts'
import type { Module, ModuleContext } from '../module.ts'
import { createApps } from './apps.ts'
import type { AppContext, Views } from './context.ts'
import { operatorAppRoutes } from './operator-routes.ts'
import { appRoutes } from './routes.ts'
import type { AppConfig } from './settings.ts'

export type AppModuleOptions = {
  readonly views: Views
}

type Config = AppConfig & HttpConfig

/** Headers that browser apps read. */
const EXPOSED_HEADERS = [
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
  'x-rookery-event-id',
  'x-rookery-indexed',
]

/** Whole clients in one call a screen: hydrated casts, feeds, threads, notifications, search. */
export function createAppModule(
  { storage, clock, mode }: ModuleContext,
  config: Config,
  { views }: AppModuleOptions,
): Module {
  const now = () => Math.floor(clock.now() / 1_000)
  const apps = createApps({ storage, mode, now })
  const context: AppContext = {
    storage,
    apps,
    views,
    settings: config,
    nowMs: clock.now,
  }
  return {
    name: 'app',
    serves: {
      name: 'app',
      title: 'Rookery app API',
      description:
        'Hydrated casts with counts, feeds, threads, notifications, followers and search, in the shapes ' +
        'of the v2 API that Farcaster apps use.',
      errors: 'app',
      host: config.host,
      port: config.appPort,
      identify: apps.identify,
      // Loopback counts too: keys are counted, not addresses.
      limits: {
        read: perMinute(config.appLimit),
        write: perMinute(config.appWriteLimit),
        search: perMinute(config.appSearchLimit),
      },
      lenientPaths: true,
      exposedHeaders: EXPOSED_HEADERS,
    },
    routes: { app: appRoutes(context) },
    operatorRoutes: operatorAppRoutes(apps),
  }
}

const perMinute = (max: number): Limit => ({ max, windowSeconds: 60 })
