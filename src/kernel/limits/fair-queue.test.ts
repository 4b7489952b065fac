import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  FairQueue,
  LEAST_PER_TURN,
  MAX_WAITING_PER_CONNECTION,
  REMEMBERED,
  TURN_MS,
} from './fair-queue.ts'

/** A queue whose requests take so long each, half of it at once and half in a promise, and the clients it has begun. */
function queueOfRequests(ms = 1) {
  const begun: string[] = []
  let now = 0
  const queue = new FairQueue(() => now)
  const request = (name: string) => () => {
    begun.push(name)
    now += ms / 2
    void Promise.resolve()
      .then(() => {})
      .then(() => {
        now += ms / 2
      })
  }
  return {
    queue,
    begun,
    ask(address: string, name = address, socket = connection()) {
      return queue.run(socket, address, request(name))
    },
    /** What is begun in the next turn. */
    async turn() {
      const before = begun.length
      await nextTurn()
      return begun.slice(before)
    },
    wait(ms: number) {
      now += ms
    },
  }
}

const connection = () => ({ destroyed: false }) as Socket & { destroyed: boolean }
const addresses = (count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${i + 1}`)
/** Ends the turn that first requests begin. */
async function fill({ ask, wait }: Pick<ReturnType<typeof queueOfRequests>, 'ask' | 'wait'>) {
  for (let i = 0; i < LEAST_PER_TURN; i++) ask('198.51.100.1', 'first')
  for (let i = 0; i < 4; i++) await Promise.resolve()
  wait(TURN_MS)
}

test('a request begins at once while the turn has time, and then in later turns as far as each has time', async () => {
  const { ask, begun, wait, turn } = queueOfRequests(TURN_MS / 16)
  for (let i = 0; i < LEAST_PER_TURN; i++) ask('192.0.2.1', 'a')
  wait(TURN_MS / 16)
  ask('192.0.2.1', 'b')
  wait(TURN_MS)
  assert.equal(begun.length, LEAST_PER_TURN + 1)
  for (let i = 0; i < 20; i++) ask('192.0.2.1', 'c')
  assert.equal(begun.length, LEAST_PER_TURN + 1, 'the turn has lasted long enough')
  assert.equal((await turn()).length, 16, 'what a request does in promises counts')
  assert.equal((await turn()).length, 4)
})

test('a turn begins some requests however long they take', async () => {
  const { ask, begun, turn } = queueOfRequests(10 * TURN_MS)
  for (let i = 0; i < 2 * LEAST_PER_TURN + 1; i++) ask('192.0.2.1')
  assert.equal(begun.length, LEAST_PER_TURN)
  assert.equal((await turn()).length, LEAST_PER_TURN)
  assert.equal((await turn()).length, 1)
})

test('a client with few requests does not wait for those of clients with many', async () => {
  const world = queueOfRequests()
  const { ask, begun, turn } = world
  // Each asks again as soon as it is answered, as a closed loop does.
  const greedy = addresses(50)
  for (const address of greedy) ask(address)
  while (begun.length < 100) for (const address of await turn()) ask(address)
  ask('203.0.113.1', 'light')
  assert.equal((await turn())[0], 'light')
  for (let i = 0; i < 20; i++) for (const address of await turn()) ask(address)
  ask('203.0.113.1', 'light')
  ask('203.0.113.2', 'new')
  const next = await turn()
  assert.equal(next[0], 'new', 'who was never served comes before who was served some time ago')
  assert.equal(next[1], 'light')
})

test('clients that ask again at once are served one after the other, also one with many connections', async () => {
  const world = queueOfRequests()
  const { ask, begun, turn } = world
  await fill(world)
  const clients = addresses(10)
  for (const address of clients) ask(address)
  for (let i = 0; i < 40; i++) ask('203.0.113.1', 'many')
  while (begun.length < LEAST_PER_TURN + 5 * 11) {
    for (const address of await turn()) if (address !== 'many') ask(address)
  }
  for (let round = 0; round < 5; round++) {
    const served = begun.slice(LEAST_PER_TURN).slice(11 * round, 11 * (round + 1))
    assert.deepEqual(new Set(served), new Set([...clients, 'many']), `round ${round}`)
  }
})

test('clients who come anew all the time do not keep those who wait from their turn', async () => {
  const { ask, begun, wait, turn } = queueOfRequests()
  for (const address of addresses(LEAST_PER_TURN)) ask(address)
  wait(TURN_MS)
  ask('192.0.2.1', 'waits')
  const flood = (i: number) => `2001:db8:${i.toString(16)}::1`
  for (let i = 0; !begun.includes('waits'); i += LEAST_PER_TURN) {
    assert.ok(begun.length < REMEMBERED + 50, `${begun.length} were served before`)
    for (let n = 0; n < LEAST_PER_TURN; n++) ask(flood(i + n), 'flood')
    await turn()
  }
  assert.ok(begun.includes('flood'))
})

test('a new connection ends the turn with the next request, because each turn accepts one', async () => {
  const world = queueOfRequests()
  const { queue, ask, begun, turn } = world
  await fill(world)
  for (const address of addresses(LEAST_PER_TURN + 2)) ask(address)
  queue.connected()
  assert.equal((await turn()).length, 1)
  ask('192.0.2.1')
  assert.equal(
    begun.length,
    LEAST_PER_TURN + 1,
    'who comes in a short turn does not pass those who wait',
  )
  assert.equal((await turn()).length, LEAST_PER_TURN)
  assert.equal((await turn()).length, 2)
  queue.connected()
  ask('192.0.2.9')
  assert.deepEqual(await turn(), ['192.0.2.9'], 'it waits for the rest of its turn alone')
  ask('192.0.2.9')
  ask('192.0.2.9')
  assert.equal((await turn()).length, 0, 'both were begun at once')
})

test('a connection with too many waiting requests is refused, and one that has gone is not served', async () => {
  const world = queueOfRequests()
  const { ask, begun, turn } = world
  await fill(world)
  const socket = connection()
  const run = () => ask('192.0.2.1', 'own', socket)
  for (let i = 0; i < MAX_WAITING_PER_CONNECTION; i++) assert.ok(run())
  assert.ok(!run())
  assert.ok(ask('192.0.2.1', 'other'), 'another connection of the same client may wait')
  socket.destroyed = true
  while (!begun.includes('other')) await turn()
  assert.deepEqual(begun.slice(LEAST_PER_TURN), ['other'])
  socket.destroyed = false
  assert.ok(run(), 'it may send again')
  assert.deepEqual(begun.slice(LEAST_PER_TURN), ['other', 'own'])
})

test('the many /64 of one site take turns as one client', async () => {
  const world = queueOfRequests()
  const { ask, turn } = world
  await fill(world)
  for (let i = 0; i < 4; i++) ask(`2001:db8:1:${i}::1`, `site ${i}`)
  ask('192.0.2.2', 'other')
  assert.deepEqual(await turn(), ['site 0', 'other', 'site 1', 'site 2', 'site 3'])
})

test('clients that were served long ago are forgotten', async () => {
  const { queue, ask, turn } = queueOfRequests()
  for (let i = 0; i < 2 * REMEMBERED; i++) {
    ask(`2001:db8:${i.toString(16)}::1`)
    if (i % LEAST_PER_TURN === 0) await turn()
  }
  assert.ok(queue.size > REMEMBERED / 2 && queue.size <= REMEMBERED + 1, `${queue.size}`)
})

test('the median wait of the requests since it was last asked is known', async () => {
  const world = queueOfRequests()
  const { queue, ask, turn } = world
  assert.equal(queue.takeMedianWaitMs(), 0)
  await fill(world)
  assert.equal(queue.takeMedianWaitMs(), 0)
  for (const address of addresses(4)) ask(address)
  await turn()
  assert.equal(queue.takeMedianWaitMs(), 1)
  assert.equal(queue.takeMedianWaitMs(), 0)
})

test('requests whose connections were closed take no turns and little memory, however many come before the next turn of their client', async () => {
  const world = queueOfRequests()
  const { queue, ask, begun, turn } = world
  await fill(world)
  for (const address of addresses(50)) ask(address)
  const leave = (requests: number) => {
    const socket = connection()
    for (let i = 0; i < requests; i++) ask('203.0.113.1', 'left', socket)
    socket.destroyed = true
  }
  for (let i = 0; i < 500; i++) leave(MAX_WAITING_PER_CONNECTION)
  assert.ok(queue.waiting < 300, `${queue.waiting} wait`)
  ask('203.0.113.1', 'stayed')
  while (begun.length < LEAST_PER_TURN + 51) {
    assert.ok((await turn()).length > 0, 'each turn begins something')
  }
  assert.ok(begun.includes('stayed') && !begun.includes('left'))
  assert.equal(queue.waiting, 0)
})

test('a client that waits for its own requests does not make the server look busy', async () => {
  const world = queueOfRequests()
  const { queue, ask, turn } = world
  await fill(world)
  for (let i = 0; i < 100; i++) ask('192.0.2.1')
  while (queue.waiting > 0) await turn()
  assert.ok(queue.takeMedianWaitMs() <= 2, 'one after the other')
  await fill(world)
  for (const address of addresses(100)) ask(address)
  while (queue.waiting > 0) await turn()
  assert.ok(queue.takeMedianWaitMs() >= 40, 'each has waited for the others')
})
