import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PACE, PATIENCE_MS, paceOf, patient } from './patience.ts'

test('a quiet machine has the patience of one under load 20', () => {
  assert.deepEqual(paceOf(1, 0, 2), { run: 1, waits: 10 })
  assert.deepEqual(paceOf(0.5, 1, 4), { run: 1, waits: 5 })
  assert.deepEqual(paceOf(1, 0, 64), { run: 1, waits: 4 })
})

test('a slow machine and a loaded one have more time, and no wait is without an end', () => {
  assert.deepEqual(paceOf(4, 0, 2), { run: 4, waits: 40 })
  assert.deepEqual(paceOf(1, 40, 2), { run: 20, waits: 20 })
  assert.deepEqual(paceOf(4, 8, 2), { run: 16, waits: 40 })
  assert.deepEqual(paceOf(10, 100, 2), { run: 500, waits: 60 })
})

test('every test file has the pace that was measured when the run began', {
  skip: !process.env.TEST_PACE && 'npm test sets it',
}, () => {
  assert.deepEqual(PACE, JSON.parse(process.env.TEST_PACE!))
  assert.deepEqual(
    [patient(1_000), PATIENCE_MS],
    [1_000, 15_000].map((ms) => Math.round(ms * PACE.waits)),
  )
})
