import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Rejection } from '../protocol/rejection.ts'
import { KIB } from '../protocol/sizes.ts'
import { type BodyBounds, BodyMemory } from './bodies.ts'
import { readClient } from './client.ts'

const BOUNDS = { small: 128 * KIB, large: 1_000 * KIB, largePerClient: 600 * KIB }

/** Bodies by the addresses of their clients, and how they ended. */
function memoryOf(bounds: Partial<BodyBounds> = {}) {
  const memory = new BodyMemory({ ...BOUNDS, ...bounds })
  const open = (address: string, announced?: number) => {
    const one = {
      ended: undefined as Rejection | undefined,
      body: memory.open(readClient(address), (reason) => (one.ended = reason), announced),
    }
    return one
  }
  const hold = (address: string, bytes: number) => {
    const one = open(address, bytes)
    one.body.hold(bytes)
    return one
  }
  return { memory, open, hold }
}

const overloaded = { code: 'unavailable.overloaded' }

test('large bodies that fill their part leave room for every body up to 64 KiB', () => {
  const { memory, hold } = memoryOf()
  for (const address of ['192.0.2.1', '192.0.2.2']) hold(address, 500 * KIB)
  assert.throws(() => hold('192.0.2.1', 101 * KIB), overloaded, 'more than its client may have')
  for (let i = 0; i < 6; i++) hold('192.0.2.1', 20 * KIB)
  for (let i = 0; i < 50; i++) hold(`198.51.100.${i}`, 64 * KIB).body.hold(0)
  assert.ok(memory.used <= (128 + 1_000) * KIB, `${memory.used} bytes`)
})

test('a body without an announced length takes room of the large ones once it is longer than 64 KiB', () => {
  const { memory, open, hold } = memoryOf()
  const { body } = open('192.0.2.1')
  body.hold(64 * KIB)
  hold('192.0.2.2', 64 * KIB)
  body.hold(65 * KIB)
  const third = hold('192.0.2.3', 64 * KIB)
  assert.equal(third.ended, undefined, 'the small part has room again')
  assert.equal(memory.used, (65 + 2 * 64) * KIB)
  body.hold(0)
  assert.equal(memory.used, 2 * 64 * KIB)
})

test('when the memory is full, the network with the most bytes loses its largest body', () => {
  const { memory, hold } = memoryOf()
  // One site has many /64, of which each is a client.
  const site = ['2001:db8:7:1::1', '2001:db8:7:2::1', '2001:db8:7:3::1']
  const held = site.map((address, i) => hold(address, (200 + 10 * i) * KIB))
  const other = hold('192.0.2.1', 300 * KIB)
  const late = hold('192.0.2.2', 250 * KIB)
  assert.deepEqual(
    [...held, other, late].map(({ ended }) => ended?.code),
    [undefined, undefined, 'unavailable.overloaded', undefined, undefined],
  )
  assert.equal(memory.used, (200 + 210 + 300 + 250) * KIB)
  hold('2001:db8:7:4::1', 200 * KIB)
  assert.ok(held[1]!.ended, 'the site has most, and takes it from itself')
  assert.equal(other.ended ?? late.ended, undefined)
})

test('one client that holds many small bodies does not keep its neighbours or itself from sending', () => {
  const { hold } = memoryOf()
  const held = [64, 63].map((kib) => hold('2001:db8:7:1::1', kib * KIB))
  assert.equal(hold('2001:db8:7:2::1', 2 * KIB).ended, undefined, 'a neighbour')
  assert.equal(hold('2001:db8:7:1::1', 2 * KIB).ended, undefined, 'itself')
  assert.deepEqual(
    held.map(({ ended }) => ended?.code),
    ['unavailable.overloaded', undefined],
  )
})

test('a body that stops or trickles is ended, and neither one that goes on nor one that has arrived', async () => {
  const { memory, open } = memoryOf({
    watchMs: 5,
    small: 1_000 * KIB,
    large: 100_000 * KIB,
    largePerClient: 1e9,
  })
  const [stopped, trickling, steady, whole] = ['1', '2', '3', '4'].map((n) => open(`192.0.2.${n}`))
  for (const one of [stopped, trickling, steady, whole]) one!.body.hold(60 * KIB)
  whole!.body.arrived()
  const deadline = Date.now() + 20_000
  for (let turns = 1; !stopped!.ended || !trickling!.ended; turns++) {
    assert.ok(Date.now() < deadline, 'slow bodies are ended')
    trickling!.body.hold(60 * KIB + turns)
    // More in each turn than a whole period needs.
    steady!.body.hold(60 * KIB + turns * 100 * KIB)
    await sleep(1)
  }
  assert.ok(stopped!.ended instanceof Rejection)
  assert.deepEqual(
    [stopped, trickling, steady, whole].map((one) => one!.ended?.code),
    ['bad_request.too_slow', 'bad_request.too_slow', undefined, undefined],
  )
  steady!.body.hold(0)
  whole!.body.hold(0)
  assert.equal(memory.used, 0)
})
