import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { firstEventIdAt } from '../protocol/event-id.ts'
import { Follower, type Waiting } from './follower.ts'
import type { IndexerStep } from './indexer-work.ts'

const STEP: IndexerStep = {
  cursor: 1,
  newestId: 1,
  events: 0,
  ratio: undefined,
  hasMore: false,
  isLeftToOthers: false,
  earlierBuilds: 0,
  setAside: 0,
  newlySetAside: [],
}

const NOTHING_WAITS: Waiting = { eventId: undefined, isBuilding: false }

/** A follower whose steps have so many events each, one after the other, on a clock that stands still. */
async function follow(t: TestContext, events: readonly number[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let steps = 0
  const follower = new Follower({
    step: async () => ({ ...STEP, cursor: steps + 1, events: events[steps++] ?? 0 }),
    rebuild: async () => {},
    oldestWaiting: async () => NOTHING_WAITS,
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

test('while steps fail, the lag is the age of the oldest event that waits, also before the first success', async (t) => {
  const nowMs = 1_800_000_000_000
  const AGE_MS = 90_000
  let waiting: Waiting | undefined = { eventId: firstEventIdAt(nowMs - AGE_MS), isBuilding: false }
  let fails = true
  let steps = 0
  const follower = new Follower({
    async step() {
      steps++
      if (fails) throw new Error('the file is damaged')
      return STEP
    },
    rebuild: async () => {},
    async oldestWaiting() {
      if (!waiting) throw new Error('the store fails, too')
      return waiting
    },
    queueDepth: () => 0,
    now: () => nowMs,
    onError: () => {},
  })
  t.after(() => follower.close())
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const next = async () => {
    const before = steps
    follower.wake()
    while (steps === before) {
      t.mock.timers.tick(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
  follower.start()
  await next()
  assert.equal(follower.lagMs, AGE_MS)
  assert.equal(follower.failure, 'the file is damaged')

  waiting = NOTHING_WAITS
  await next()
  assert.ok(follower.lagMs < AGE_MS)

  // A build, or a store that does not say what waits: since the first failure.
  waiting = { eventId: undefined, isBuilding: true }
  await next()
  assert.ok(follower.lagMs > 0 && follower.lagMs < AGE_MS)

  fails = false
  await next()
  await next()
  assert.deepEqual([follower.lagMs, follower.failure], [0, undefined])
})

test('an event that was announced counts as waiting before a step has looked at it', async (t) => {
  let answer = (_: IndexerStep) => {}
  const follower = new Follower({
    step: () =>
      new Promise((resolve) => {
        answer = resolve
      }),
    rebuild: async () => {},
    oldestWaiting: async () => NOTHING_WAITS,
    queueDepth: () => 0,
    now: () => Date.now(),
    onError: assert.fail,
  })
  t.after(() => {
    answer(STEP)
    return follower.close()
  })
  follower.start()
  assert.equal(follower.lagMs, 0)
  follower.wake()
  while (follower.lagMs === 0) await new Promise((resolve) => setImmediate(resolve))
})
