import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { ConnectionLimit } from './connections.ts'
import { LEAST_PER_TURN, processQueue, TURN_MS } from './fair-queue.ts'

test('a connection whose request waits for its turn is not idle', () => {
  const limit = new ConnectionLimit({ total: 2, perNetwork: 2 })
  const [waits, idle, other] = [new Socket(), new Socket(), new Socket()]
  for (const socket of [waits, idle]) assert.ok(limit.tryAcquire(socket, '192.0.2.1'))
  for (let i = 0; i < LEAST_PER_TURN; i++) processQueue.run(other, '192.0.2.2', () => {})
  const end = performance.now() + TURN_MS
  while (performance.now() <= end);
  const begun: Socket[] = []
  processQueue.run(waits, '192.0.2.1', () => begun.push(waits))
  assert.deepEqual(begun, [], 'the turn is over')
  assert.ok(limit.tryAcquire(other, '192.0.2.2'))
  assert.ok(idle.destroyed && !waits.destroyed)
})
