import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFollower } from './follower.ts'
import type { IndexerStep } from './indexer.ts'

const STEP: IndexerStep = {
  cursor: 1,
  newestId: 1,
  events: 0,
  ratio: undefined,
  hasMore: false,
  isLeftToOthers: false,
}

/** A follower whose steps have so many events each, one after the other, on a clock that stands still. */
async function follow(t: TestContext, events: readonly number[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let steps = 0
  const follower = createFollower({
    step: async () => ({ ...STEP, cursor: steps + 1, events: events[steps++] ?? 0 }),
    rebuild: async () => {},
    queueDepth: () => 0,
    now: () => 0,
    onError: assert.fail,
  })
  t.after(() => follower.close())
  /** The steps that were done after this time. */
  const stepsAfter = async (ms: number) => {
    follower.wake()
    t.mock.timers.tick(ms)
    // Everything that a step does without a timer is done.
    for (let i = 0; i < 20; i++) await Promise.resolve()
    return steps
  }
  follower.start()
  await stepsAfter(0)
  return { follower, stepsAfter }
}

test('the pause after a step grows with its events, up to a bound', async (t) => {
  const { stepsAfter } = await follow(t, [10, 100, 10_000])
  assert.equal(await stepsAfter(29), 1)
  assert.equal(await stepsAfter(1), 2)
  assert.equal(await stepsAfter(119), 2)
  assert.equal(await stepsAfter(1), 3)
  assert.equal(await stepsAfter(249), 3)
  assert.equal(await stepsAfter(1), 4)
})

test('a caller who waits for an event ends the pause', async (t) => {
  const { follower, stepsAfter } = await follow(t, [10_000])
  const passed = follower.passed(2, 1_000)
  assert.equal(await stepsAfter(0), 2)
  assert.equal(await passed, true)
})
