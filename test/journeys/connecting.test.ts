// Connecting apps to an account, and signing in to other sites with it.

import { describe } from 'node:test'
import { enginesOf } from '../world.ts'
import { browserWorld } from './browser-world.ts'
import { CONFIRMATION_MS, connectingApps, stoppable } from './connecting-apps.ts'
import { signingInElsewhere } from './signing-in-elsewhere.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`connecting on ${engine}`, { concurrency: 1 }, () => {
    const env = { ROOKERY_CONFIRMATION_MS: String(CONFIRMATION_MS) }
    const world = browserWorld({ engine, env, clock: stoppable })
    signingInElsewhere(world)
    // It moves the clock.
    connectingApps(world)
  })
}
