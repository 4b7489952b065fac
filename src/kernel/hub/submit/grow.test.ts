import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growthOf } from './grow.ts'

const TERMS = { chainId: 1, network: 3, storageDays: undefined, signupUnits: 20 }
const GB = 1e9
const use = (usedBytes: number, quotaBytes: number | undefined) => ({
  usedBytes,
  quotaBytes,
  share: quotaBytes === undefined ? 0 : usedBytes / quotaBytes,
})

test('one fid may keep a tenth of the disk quota, and what twenty units hold on the smallest server', () => {
  const most = (quota: number | undefined) => growthOf(TERMS, use(1, quota)).maxMessagesPerFid
  assert.equal(most(20 * GB), 2_000_000)
  assert.equal(most(GB / 2), 100_000)
  assert.equal(most(undefined), Number.POSITIVE_INFINITY)
})

test('messages are refused when the whole disk quota is used, and not before', () => {
  assert.equal(growthOf(TERMS, use(999, 1_000)).isFull, false)
  assert.equal(growthOf(TERMS, use(1_000, 1_000)).isFull, true)
  assert.equal(growthOf(TERMS, use(1_000, undefined)).isFull, false)
})

test('growth raises what a fid merges in a day to that of twenty units or of a sign-up', () => {
  const units = (signupUnits: number) =>
    growthOf({ ...TERMS, signupUnits }, use(0, 1)).maxDailyUnits
  assert.deepEqual([units(1), units(20), units(50)], [20, 20, 50])
})
