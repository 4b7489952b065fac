// Channels, push notifications, and moderation of a server with rules of its own.

import { describe } from 'node:test'
import { enginesOf } from '../world.ts'
import { browserWorld } from './browser-world.ts'
import { channels } from './channels.ts'
import { FACE, moderation } from './moderation.ts'
import { moderatorsQueue } from './moderators-queue.ts'
import { push } from './push.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`a community on ${engine}`, { concurrency: 1 }, () => {
    const world = browserWorld({ engine, env: FACE })
    moderation(world)
    moderatorsQueue(world)
    channels(world)
    push(world)
  })
}
