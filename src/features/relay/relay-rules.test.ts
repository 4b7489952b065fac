import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingNonces, payableFees, replacementFees } from './relay-rules.ts'

const fees = (maxFee: number, tip: number) => ({ maxFee: BigInt(maxFee), tip: BigInt(tip) })

test('the offered fee is the present fee, up to the limit of the settings', () => {
  assert.deepEqual(payableFees(fees(100, 10), 1000n), fees(100, 10))
  assert.deepEqual(payableFees(fees(100, 10), 50n), fees(50, 10))
  assert.deepEqual(payableFees(fees(100, 90), 50n), fees(50, 50))
})

test('a replacement transaction offers at least a tenth more, as nodes require', () => {
  const cases: [
    before: [number, number],
    present: [number, number],
    limit: number,
    after?: [number, number],
  ][] = [
    [[100, 10], [90, 5], 1000, [125, 13]],
    [[100, 10], [300, 50], 1000, [300, 50]],
    [[100, 10], [300, 5], 200, [200, 13]],
    [[100, 10], [90, 5], 110, [110, 13]],
    [[100, 10], [90, 5], 109, undefined],
    [[100, 100], [90, 90], 125, [125, 125]],
    [[1, 1], [1, 1], 10, [2, 2]],
    // A tip of nothing cannot be raised by a tenth, and need not.
    [[100, 0], [100, 0], 1000, [125, 0]],
  ]
  for (const [before, present, limit, after] of cases) {
    assert.deepEqual(
      replacementFees(fees(...before), fees(...present), BigInt(limit)),
      after && fees(...after),
      `${before} at ${present}, up to ${limit}`,
    )
  }
})

test('unused nonces below used ones are found', () => {
  assert.deepEqual(missingNonces(5, [5, 6, 7], 16), [])
  assert.deepEqual(missingNonces(5, [7], 16), [5, 6])
  assert.deepEqual(missingNonces(5, [3, 6, 9], 16), [5, 7, 8])
  assert.deepEqual(missingNonces(5, [100], 3), [5, 6, 7])
  assert.deepEqual(missingNonces(8, [5, 6, 7], 16), [])
})
