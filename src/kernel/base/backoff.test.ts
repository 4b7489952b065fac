import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs } from './backoff.ts'

const BACKOFF = { firstMs: 1_000, maxMs: 60_000 }

test('the wait after failures doubles up to the longest one, however many there were', () => {
  const waits = [1, 2, 3, 6, 7, 2_000].map((failures) => backoffMs(BACKOFF, failures, () => 1))
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000])
})

test('the wait after a failure is a whole number from half of the longest to all of it', () => {
  const waits = [0, 0.3333, 1].map((random) => backoffMs(BACKOFF, 2, () => random))
  assert.deepEqual(waits, [1_000, 1_333, 2_000])
})
