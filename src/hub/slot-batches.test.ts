import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Envelope } from '../storage/envelopes.ts'
import type { StoredMessage } from '../storage/messages.ts'
import { inBatches, inTurns } from './slot-batches.ts'

const slotOf = (n: number) => Uint8Array.of(n >> 8, n & 255)

const rowsOf = (slots: readonly Uint8Array[]) =>
  slots.map((slot) => ({ slot }) as unknown as StoredMessage)

/** Messages in the slots of even numbers, and what was asked for. */
function counted() {
  const asked: number[] = []
  const { bySlot } = inBatches([
    {
      async bySlots(slots) {
        asked.push(slots.length)
        if (slots.some(([, low]) => low === 255)) throw new Error('the store is away')
        return rowsOf(slots.filter(([, low]) => low! % 2 === 0)).reverse()
      },
    },
  ])
  return { asked, ask: (n: number) => bySlot(slotOf(n)) }
}

test('messages that are asked for in the same turn are read with one statement, each of them once', async () => {
  const { asked, ask } = counted()
  const found = await Promise.all([2, 3, 4, 2].map(ask))
  assert.deepEqual(
    found.map((message) => message?.slot),
    [slotOf(2), undefined, slotOf(4), slotOf(2)],
  )
  assert.deepEqual(asked, [3])
  assert.deepEqual((await ask(6))?.slot, slotOf(6))
  assert.deepEqual(asked, [3, 1], 'what is asked for later is read later')
})

test('a statement reads a bounded number of messages', async () => {
  const { asked, ask } = counted()
  const numbers = Array.from({ length: 150 }, (_, i) => 2 * i)
  const found = await Promise.all(numbers.map(ask))
  assert.deepEqual(
    found.map((message) => message?.slot),
    numbers.map(slotOf),
  )
  assert.deepEqual(asked, [128, 22])
})

test('a statement that fails is an error for all that waited for it, and for nothing later', async () => {
  const { ask } = counted()
  const results = await Promise.allSettled([2, 255, 4].map(ask))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  assert.deepEqual((await ask(2))?.slot, slotOf(2))
})

test('what a standby does not have yet is read from the primary, also in batches', async () => {
  const asked: number[] = []
  const sourceOf = (newest: number) => ({
    async bySlots(slots: readonly Uint8Array[]) {
      asked.push(slots.length)
      return rowsOf(slots.filter(([, low]) => low! <= newest))
    },
  })
  const { bySlot } = inBatches([sourceOf(2), sourceOf(4)])
  const found = await Promise.all([1, 2, 3, 4, 5].map((n) => bySlot(slotOf(n))))
  assert.deepEqual(
    found.map((message) => message?.slot[1]),
    [1, 2, 3, 4, undefined],
  )
  assert.deepEqual(asked, [5, 3])
})

test('on the embedded store, messages that are asked for in the same turn are read at once, at most 128', async () => {
  const asked: number[] = []
  const { bySlot } = inTurns({
    async bySlots(slots) {
      asked.push(slots.length)
      if (slots.some(([, low]) => low === 255)) throw new Error('the store is away')
      return slots.map((slot) =>
        slot[1]! % 2 === 0 ? ({ slot } as unknown as Envelope) : undefined,
      )
    },
  })
  const ask = async (n: number) => (await bySlot(slotOf(n))) as { slot: Uint8Array } | undefined
  const numbers = Array.from({ length: 150 }, (_, i) => i)
  const found = await Promise.all(numbers.map(ask))
  assert.deepEqual(
    found.map((one) => one?.slot),
    numbers.map((n) => (n % 2 === 0 ? slotOf(n) : undefined)),
  )
  const failed = await Promise.allSettled([2, 255].map(ask))
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual((await ask(2))?.slot, slotOf(2))
  assert.deepEqual(asked, [128, 22, 2, 1])
})
