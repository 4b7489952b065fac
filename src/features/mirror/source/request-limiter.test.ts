import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { RequestLimiter } from './request-limiter.ts'

/** Time that passes when it is told to. */
class FakeTime {
  #now = 0
  #sleepers: { at: number; wake: () => void }[] = []
  readonly now = () => this.#now
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => this.#sleepers.push({ at: this.#now + ms, wake }))

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await turn()
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0]
      if (!next || next.at > end) break
      this.#now = Math.max(this.#now, next.at)
      this.#sleepers = this.#sleepers.filter((one) => one !== next)
      next.wake()
    }
    this.#now = end
  }
}

const never = new AbortController().signal

/** Requests that wait for each other all the time; returns when they began. */
function load(limiter: RequestLimiter, time: FakeTime, requests: number, tookMs = 0): number[] {
  const began: number[] = []
  for (let i = 0; i < requests; i++) {
    void limiter.begin(never).then(async (end) => {
      began.push(time.now())
      if (tookMs > 0) await time.sleep(tookMs)
      end('answered')
    })
  }
  return began
}

describe('the limiter of requests', () => {
  test('there are never more in a second than the rate allows, and no fewer than it allows', async () => {
    for (const rate of [1, 7, 8.5, 40]) {
      const time = new FakeTime()
      const limiter = new RequestLimiter({ rate, concurrency: 8, ...time })
      const began = load(limiter, time, Math.ceil(rate * 5))
      await time.advance(10_000)
      assert.equal(began.length, Math.ceil(rate * 5))
      for (const from of began) {
        const inSecond = began.filter((at) => at >= from && at < from + 1_000 - 1e-6)
        assert.ok(inSecond.length <= Math.ceil(rate), `${inSecond.length} at a rate of ${rate}`)
      }
      assert.ok(began.at(-1)! <= 5_000, 'the rate is used')
    }
  })

  test('after a time without requests a burst is made at once, and none after a pause that the source asked for', async () => {
    const time = new FakeTime()
    const limiter = new RequestLimiter({ rate: 10, burst: 6, concurrency: 8, first: 8, ...time })
    const began = load(limiter, time, 8)
    await time.advance(10_000)
    assert.deepEqual(began, [0, 0, 0, 0, 0, 0, 100, 200])
    const again = load(limiter, time, 7)
    await time.advance(1_000)
    assert.deepEqual(
      again.map((at) => at - 10_000),
      [0, 0, 0, 0, 0, 0, 100],
    )
    limiter.waitUntil(30_000)
    const paused = load(limiter, time, 3)
    await time.advance(60_000)
    assert.deepEqual(
      paused.map((at) => Math.round(at - 11_000)),
      [30_000, 30_100, 30_200],
    )
  })

  test('after retry-after nothing is asked before its end', async () => {
    const time = new FakeTime()
    const limiter = new RequestLimiter({ rate: 0, concurrency: 8, ...time })
    const end = await limiter.begin(never)
    const began = load(limiter, time, 20)
    await time.advance(0)
    const before = began.length
    end('overloaded')
    limiter.waitUntil(30_000)
    // A shorter wait does not shorten the longer one.
    limiter.waitUntil(1_000)
    const later = load(limiter, time, 5)
    await time.advance(29_999)
    assert.deepEqual([began.length, later.length], [before, 0])
    await time.advance(1)
    await time.advance(1)
    assert.deepEqual([began.length, later.length], [20, 5])
    assert.ok(limiter.throttledMs >= 30_000)
  })

  test('requests at a time begin at two, grow with good answers and fall by half when the source is overloaded', async () => {
    const time = new FakeTime()
    const limiter = new RequestLimiter({ rate: 0, concurrency: 8, ...time })
    assert.equal(limiter.allowed, 2)
    load(limiter, time, 1_000, 10)
    let most = 0
    for (let i = 0; i < 1_000; i++) {
      await time.advance(10)
      most = Math.max(most, limiter.allowed)
    }
    assert.equal(most, 8)
    for (const left of [4, 2, 1, 1]) {
      const end = await limiter.begin(never)
      end('overloaded')
      assert.equal(limiter.allowed, left)
    }
    for (let i = 0; i < 49; i++) (await limiter.begin(never))('answered')
    assert.equal(limiter.allowed, 1)
    const end = await limiter.begin(never)
    end('answered')
    assert.equal(limiter.allowed, 2)
  })

  test('a request that waits for its turn ends when the program stops', async () => {
    const time = new FakeTime()
    const limiter = new RequestLimiter({ rate: 0, concurrency: 1, ...time })
    const stop = new AbortController()
    await limiter.begin(stop.signal)
    const waiting = Array.from({ length: 5 }, () => limiter.begin(stop.signal))
    await turn()
    stop.abort(new Error('stopped'))
    const ended = await Promise.allSettled(waiting)
    assert.deepEqual(
      ended.map(({ status }) => status),
      Array(5).fill('rejected'),
    )
  })
})
