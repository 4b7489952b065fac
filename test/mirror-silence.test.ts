// A source from whose shards no blocks come any more, while it still answers.

import { test } from 'node:test'
import { castAdd } from '../src/protocol/build.ts'
import { startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, heights } from './mirror-support.ts'
import { until } from './until.ts'
import { WORLD_START_MS } from './world.ts'

test('people are read while a shard is silent, however far behind it is', async () => {
  const fake = await startFakeHub({ now: () => WORLD_START_MS })
  const mirror = await createMirror({ address: fake.address, now: () => WORLD_START_MS })
  try {
    const author = new Author(fake.account(1))
    fake.merge(author.sign((o) => castAdd(o, { text: 'before the silence' })))
    fake.commitAll()
    await mirror.settled(heights(fake))
    fake.silent('streams')
    mirror.clock.advance(60_000)
    await mirror.follow('fid:1')
    await until(async () => {
      const [person] = await mirror.app.storage.mirror.fids([1])
      return person?.state === 'live'
    })
    await assertSame(mirror.app.storage, fake, [1])
  } finally {
    await mirror.close()
    await fake.close()
  }
})
