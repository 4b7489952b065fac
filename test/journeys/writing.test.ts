// Writing: casts, reactions, follows, blocks, drafts, previews, pictures and videos, and what the server refuses.

import { describe } from 'node:test'
import { enginesOf } from '../world.ts'
import { acting } from './acting.ts'
import { browserWorld } from './browser-world.ts'
import { media } from './media.ts'
import { threads } from './threads.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`writing on ${engine}`, { concurrency: 1 }, () => {
    const world = browserWorld({ engine })
    acting(world)
    media(world)
    threads(world)
  })
}
