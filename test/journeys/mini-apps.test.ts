// Mini apps in the web client: the published SDK, hostile apps, the example, the room of their developers, snaps and polls.

import { describe } from 'node:test'
import { enginesOf } from '../world.ts'
import { browserWorld } from './browser-world.ts'
import { miniAppBasics } from './mini-app-basics.ts'
import { miniAppExample } from './mini-app-example.ts'
import { miniAppHostile } from './mini-app-hostile.ts'
import { miniAppRoom } from './mini-app-room.ts'
import { miniAppSamples } from './mini-app-samples.ts'
import { miniAppSdk } from './mini-app-sdk.ts'
import { polls } from './polls.ts'
import { snapRoom } from './snap-room.ts'
import { snaps } from './snaps.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`mini apps on ${engine}`, { concurrency: 1 }, () => {
    const world = browserWorld({ engine })
    miniAppBasics(world)
    miniAppSamples(world)
    miniAppSdk(world)
    miniAppHostile(world)
    miniAppExample(world)
    snaps(world)
    polls(world)
  })
}

miniAppRoom()
snapRoom()
