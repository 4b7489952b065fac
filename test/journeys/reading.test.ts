// Reading: every screen, hostile texts, lists that go on, what is new, searching, the keyboard, and the page without a connection.

import { describe } from 'node:test'
import { enginesOf } from '../world.ts'
import { browserWorld } from './browser-world.ts'
import { keeping } from './keeping.ts'
import { news } from './news.ts'
import { ownLanguage } from './own-language.ts'
import { postLanguages } from './post-languages.ts'
import { readingScreens } from './reading-screens.ts'
import { searching } from './searching.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`reading on ${engine}`, { concurrency: 1 }, () => {
    const world = browserWorld({ engine })
    readingScreens(world)
    news(world)
    keeping(world)
    ownLanguage(world)
    postLanguages(world)
    searching(world)
  })
}
