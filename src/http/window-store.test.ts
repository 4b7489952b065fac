import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_COUNTED_CLIENTS, WindowStore } from './window-store.ts'

const WINDOW_MS = 60_000

const count = (store: WindowStore, client: string) => {
  let result = { current: 0, ttl: 0 }
  store.incr(
    client,
    (_error, counted) => {
      result = counted!
    },
    WINDOW_MS,
  )
  return result
}

test('each client has its own count, and each request its own result', () => {
  const store = new WindowStore()
  const first = count(store, 'a')
  const second = count(store, 'a')
  assert.deepEqual([first.current, second.current, count(store, 'b').current], [1, 2, 1])
  assert.equal(count(store.child(), 'a').current, 1)
})

test('a window ends after its length, to the millisecond', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  const store = new WindowStore()
  count(store, 'a')
  t.mock.timers.tick(WINDOW_MS - 1)
  assert.deepEqual(count(store, 'a'), { current: 2, ttl: 1 })
  t.mock.timers.tick(1)
  assert.deepEqual(count(store, 'a'), { current: 1, ttl: WINDOW_MS })
})

test('the store holds a bounded number of clients, and none whose window has ended', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  const store = new WindowStore()
  for (let i = 0; i <= MAX_COUNTED_CLIENTS; i++) count(store, `client ${i}`)
  assert.equal(store.size, MAX_COUNTED_CLIENTS)
  assert.equal(count(store, `client ${MAX_COUNTED_CLIENTS}`).current, 2)
  assert.equal(count(store, 'client 0').current, 1)
  t.mock.timers.tick(WINDOW_MS)
  count(store, 'late')
  assert.equal(store.size, 1)
})
