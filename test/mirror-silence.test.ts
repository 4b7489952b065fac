// A source that is silent, or does not answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { startFakeHub } from './fake-hub/fake-hub.ts'
import { Author, assertSame } from './mirror-authors.ts'
import { createMirror, heights } from './mirror-support.ts'
import { until } from './until.ts'
import { WORLD_START_MS } from './world.ts'

const INTERNAL = 13
const UNAVAILABLE = 14

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
      const [person] = await mirror.app.storage.of(mirrorRows).fids([1])
      return person?.state === 'live'
    })
    await assertSame(mirror.app.storage, fake, [1])
  } finally {
    await mirror.close()
    await fake.close()
  }
})

test('a source that does not answer makes nobody differ, and one that fails does', async () => {
  const fake = await startFakeHub({ now: () => WORLD_START_MS })
  const mirror = await createMirror({ address: fake.address, now: () => WORLD_START_MS })
  try {
    fake.account(1)
    fake.startBlocks(250)
    await mirror.follow('fid:1')
    await mirror.settled(heights(fake))
    const failing = async (status: number) => {
      fake.limit({ status, calls: 1_000, method: 'getAllCastMessagesByFid' })
      await until(async () => {
        const [person] = await mirror.app.storage.of(mirrorRows).fids([1])
        if (person!.failures > 1) return true
        // Somebody who is being compared is compared once more after that.
        await mirror.operate('/mirror/compare', { body: { fid: 1 } })
        return false
      })
      const { people } = await mirror.status()
      fake.heal()
      await until(async () => {
        // Small steps: a mirror that falls behind the blocks compares nobody.
        mirror.clock.advance(1_000)
        const [person] = await mirror.app.storage.of(mirrorRows).fids([1])
        return person!.failures === 0 && person!.state === 'live'
      })
      return people.differ
    }
    assert.equal(await failing(UNAVAILABLE), 0)
    assert.equal(await failing(INTERNAL), 1)
  } finally {
    await mirror.close()
    await fake.close()
  }
})
