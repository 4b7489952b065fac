import type { Services } from '../app.ts'
import type { Module } from '../kernel/module.ts'
import type { DevClock } from './clock.ts'
import type { Faults } from './faults/fault.ts'
import { frontDoorRoutes } from './front-door.ts'
import { miniAppRoutes } from './mini-apps/routes.ts'
import type { AccountOrigin } from './origin.ts'
import { pictureRoutes } from './picture-routes.ts'
import { Recorder } from './recording/recorder.ts'
import { devRoutes } from './routes.ts'
import { seedWorld } from './seed.ts'
import { seedShowcase } from './showcase.ts'
import { snapRoutes } from './snaps/routes.ts'
import { walletRoutes } from './wallet.ts'

/** The accounts and the world of a development network, and the routes that change them. */
export const createDevModule = (
  services: Services,
  {
    clock,
    origin,
    faults,
  }: { readonly clock: DevClock; readonly origin: AccountOrigin; readonly faults: Faults },
): Module => {
  let address = services.config.publicUrl
  const showcase = async () => {
    if (address !== undefined) await seedShowcase(services, origin, address)
  }
  const web = () => address ?? services.platform.publicUrl()
  const recorder = new Recorder(services.storage, clock)
  const helpers = [
    ...devRoutes({ services, origin, clock, showcase, faults, recorder }),
    ...miniAppRoutes(services, web),
    ...snapRoutes(services, origin, web),
  ]
  return {
    name: 'development network',
    routes: {
      operations: helpers,
      platform: walletRoutes(services, origin),
      web: [...pictureRoutes(), ...frontDoorRoutes(helpers)],
    },
    // Before anything listens, so that no client sees a partial world.
    async start() {
      await clock.load(services.storage)
      await origin.begin(services, clock.now())
      await seedWorld(services, origin)
    },
    async stop() {
      recorder.stop()
    },
    async listening(name, url) {
      if (name !== 'web') return
      address ??= url
      await showcase()
    },
  }
}
