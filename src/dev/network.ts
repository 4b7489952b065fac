import { type App, startApp } from '../app.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Logger } from '../http/logger.ts'
import { DevClock } from './clock.ts'
import { devRoutes } from './routes.ts'
import { seedWorld } from './seed.ts'

/**
 * The server with a small world in it and helpers on its operations interface. The world is there before
 * anything listens, so that nobody meets half of it.
 */
export async function startDevNetwork(options: {
  config: Config
  logger?: Logger
  clock?: Clock
}): Promise<App> {
  if (options.config.registryUrl) {
    throw new ConfigError(['ROOKERY_REGISTRY_URL: a development network gives its names itself'])
  }
  const clock = new DevClock(options.clock ?? systemClock)
  return startApp({
    ...options,
    clock,
    prepare: async (services) => {
      await clock.load(services.storage)
      await seedWorld(services)
    },
    opsRoutes: (services) => devRoutes(services, clock),
  })
}
