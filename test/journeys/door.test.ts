// The door of a server: what a newcomer is asked, and what its owner decides about that.

import { describe } from 'node:test'
import { enginesOf } from '../world.ts'
import { browserWorld } from './browser-world.ts'
import { door } from './door.ts'
import { lettingIn } from './letting-in.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the door on ${engine}`, { concurrency: 1 }, () => {
    door(browserWorld({ engine, host: 'localhost' }))
  })
  describe(`a door that moderators open, on ${engine}`, { concurrency: 1 }, () => {
    lettingIn(browserWorld({ engine, host: 'localhost', env: { ROOKERY_SIGNUP: 'approval' } }))
  })
}
