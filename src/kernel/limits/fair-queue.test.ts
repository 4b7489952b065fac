import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairQueue, MAX_WAITING_PER_CONNECTION } from './fair-queue.ts'

const connection = (remoteAddress: string) =>
  ({ socket: { remoteAddress, destroyed: false } }) as unknown as IncomingMessage & {
    socket: { destroyed: boolean }
  }

test('a request begins at once, and those of a client with many of them begin in later turns', async () => {
  const queue = new FairQueue()
  const begun: string[] = []
  const run = (request: IncomingMessage, name: string) =>
    assert.ok(queue.run(request, () => begun.push(name)))
  for (let i = 0; i < 40; i++) run(connection('192.0.2.1'), 'greedy')
  run(connection('192.0.2.2'), 'other')
  assert.equal(begun.length, 17)
  assert.equal(begun.at(-1), 'other')
  await nextTurn()
  assert.equal(begun.length, 33)
  run(connection('192.0.2.2'), 'other')
  assert.equal(begun.length, 34, 'who comes in the next turn does not wait either')
  await nextTurn()
  assert.equal(begun.length, 42)
})

test('requests begin in the order of their arrival', async () => {
  const queue = new FairQueue()
  const begun: number[] = []
  for (let i = 0; i < 50; i++) queue.run(connection('192.0.2.1'), () => begun.push(i))
  for (let turn = 0; turn < 5; turn++) await nextTurn()
  assert.deepEqual(begun, [...begun.keys()])
  assert.equal(begun.length, 50)
})

test('a connection with too many waiting requests is refused, and one that has gone is not served', async () => {
  const queue = new FairQueue()
  const request = connection('192.0.2.1')
  let begun = 0
  const run = () => queue.run(request, () => begun++)
  while (run()) assert.ok(begun <= 16)
  assert.equal(begun, 16)
  request.socket.destroyed = true
  for (let turn = 0; turn < 5; turn++) await nextTurn()
  assert.equal(begun, 16)
  request.socket.destroyed = false
  assert.ok(MAX_WAITING_PER_CONNECTION > 16)
  assert.ok(run(), 'it may send again')
})

test('the many /64 of one site take turns as one client', async () => {
  const queue = new FairQueue()
  let begun = 0
  for (let i = 0; i < 40; i++) queue.run(connection(`2001:db8:1:${i}::1`), () => begun++)
  assert.equal(begun, 16)
  await nextTurn()
  assert.equal(begun, 32)
})
