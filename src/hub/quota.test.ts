import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../protocol/rejection.ts'
import { DAILY_MERGES_PER_UNIT, FidQuota } from './quota.ts'

const DAY_MS = 24 * 3_600_000
const UNITS = { legacy: 0, u2024: 0, u2025: 2 }
const SHARE = 2 * DAILY_MERGES_PER_UNIT

const isRefused = (act: () => void) => {
  try {
    act()
    return undefined
  } catch (error) {
    if (error instanceof Rejection) return [error.code, error.message, error.retryAfterSeconds]
    throw error
  }
}

test('a fid merges its share in a day and not one more, whatever others do', () => {
  const quota = new FidQuota()
  for (let i = 0; i < SHARE; i++) quota.take(1, UNITS, 0)
  const refusal = ['rate_limited', 'rate limit exceeded for FID 1', 43_200]
  assert.deepEqual(
    isRefused(() => quota.take(1, UNITS, DAY_MS / 2)),
    refusal,
  )
  quota.take(2, UNITS, 0)
})

test('a new day is a new share', () => {
  const quota = new FidQuota()
  for (let i = 0; i < SHARE; i++) quota.take(1, UNITS, 0)
  assert.ok(isRefused(() => quota.take(1, UNITS, DAY_MS - 1)))
  quota.take(1, UNITS, DAY_MS)
})

test('more units at once are more share at once', () => {
  const quota = new FidQuota()
  for (let i = 0; i < SHARE; i++) quota.take(1, UNITS, 0)
  quota.take(1, { ...UNITS, u2025: 3 }, 0)
})
