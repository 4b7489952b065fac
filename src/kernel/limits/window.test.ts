import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FixedWindow, RateLimit } from './window.ts'

const WINDOW_MS = 60_000

test('a key may take its maximum in a window, which begins with its first event', () => {
  const window = new FixedWindow({ windowMs: WINDOW_MS })
  assert.equal(window.tryConsume('a', 2, 1_000), undefined)
  assert.equal(window.tryConsume('a', 2, 2_000), undefined)
  assert.deepEqual(window.tryConsume('a', 2, 31_000), { retryAfterMs: 30_000 })
  assert.equal(window.tryConsume('b', 2, 31_000), undefined)
  assert.deepEqual(window.tryConsume('a', 2, 60_999), { retryAfterMs: 1 })
  assert.equal(window.tryConsume('a', 2, 61_000), undefined)
})

test('a refused event is not counted, and a maximum of zero refuses all', () => {
  const window = new FixedWindow({ windowMs: WINDOW_MS })
  window.tryConsume('a', 1, 0)
  for (let i = 0; i < 5; i++) assert.ok(window.tryConsume('a', 1, 0))
  assert.equal(window.tryConsume('a', 2, 0), undefined)
  assert.deepEqual(window.tryConsume('b', 0, 0), { retryAfterMs: WINDOW_MS })
  assert.equal(window.size, 1)
})

test('counting returns the count and the end of the window', () => {
  const window = new FixedWindow({ windowMs: WINDOW_MS })
  assert.deepEqual({ ...window.consume('a', 5) }, { count: 1, endsAtMs: 60_005 })
  assert.deepEqual({ ...window.consume('a', 6) }, { count: 2, endsAtMs: 60_005 })
})

test('a clock that is set back by more than a window starts the counts anew', () => {
  const window = new FixedWindow({ windowMs: WINDOW_MS })
  window.tryConsume('a', 1, 10 * WINDOW_MS)
  assert.equal(window.tryConsume('a', 1, 0), undefined)
})

test('the counter remembers a bounded number of keys, the newest ones, and no window that has ended', () => {
  const window = new FixedWindow({ windowMs: WINDOW_MS, maxKeys: 3 })
  for (const key of ['a', 'b', 'c', 'd']) window.tryConsume(key, 1, 0)
  assert.equal(window.size, 3)
  assert.ok(window.tryConsume('d', 1, 1))
  assert.equal(window.tryConsume('a', 1, 1), undefined, 'the oldest was forgotten')
  window.tryConsume('late', 1, WINDOW_MS + 1)
  assert.equal(window.size, 1)
})

test('a site with many networks takes four times what a client may, and a caller with a name is counted alone', () => {
  const limit = new RateLimit({ max: 2, windowSeconds: 60 })
  const isRefused = (address: string, callerId?: string) =>
    limit.tryConsume({ address, callerId }, 0)?.exceeded !== undefined
  const ofSite = (i: number) => `2001:db8:1:${i}::1`
  assert.deepEqual(
    [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6].map((i) => isRefused(ofSite(i))),
    [false, false, true, false, false, false, false, false, false, true, true],
  )
  assert.equal(isRefused(ofSite(7), 'a key'), false)
  assert.equal(isRefused('2001:db8:2:1::1'), false, 'another site is not affected')
})
