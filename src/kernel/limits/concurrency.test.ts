import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClient } from './client.ts'
import { CLIENTS_PER_NETWORK, ConcurrencyLimit } from './concurrency.ts'

test('the many /64 of one site have as many streams as a few clients, and other networks have theirs', () => {
  const limit = new ConcurrencyLimit({ total: 1_000, perClient: 3 })
  const own = readClient('192.0.2.1')
  const site = Array.from({ length: 20 }, (_, i) => readClient(`2001:db8:1:${i}::1`))
  for (let i = 0; i < 3; i++) assert.equal(limit.tryAcquire(own), true)
  assert.equal(limit.tryAcquire(own), false)
  const opened = site.filter((client) => limit.tryAcquire(client))
  assert.equal(opened.length, 3 * CLIENTS_PER_NETWORK)
  assert.equal(limit.isFull(readClient('2001:db8:1:ffff::1')), true)
  assert.equal(limit.tryAcquire(readClient('2001:db8:2::1')), true)
  limit.release(opened[0]!)
  assert.equal(limit.tryAcquire(readClient('2001:db8:1:ffff::1')), true)
  assert.equal(limit.used, 3 + opened.length + 1)
})
