import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../../protocol/rejection.ts'
import { CallQuota } from './quota.ts'

const HOUR = 3_600_000
const isTooMany = (seconds: number) => (error: unknown) =>
  error instanceof Rejection && error.code === 'rate_limited' && error.retryAfterSeconds === seconds

test('each caller has a number of calls per hour, counted from the first', () => {
  const quota = new CallQuota(2)
  quota.take('a', 0)
  quota.take('b', 1)
  quota.take('a', HOUR - 1_500)
  assert.throws(() => quota.take('a', HOUR - 1_500), isTooMany(2))
  quota.take('b', HOUR)
  quota.take('a', HOUR)
  quota.take('a', HOUR)
  assert.throws(() => quota.take('a', HOUR), isTooMany(3_600))
})

test('a clock that is set back blocks no caller, and the number of remembered callers is bounded', () => {
  const quota = new CallQuota(1)
  quota.take('a', 100 * HOUR)
  quota.take('a', 1)
  for (let i = 0; i < 10_001; i++) quota.take(`${i}`, 2)
  // The first ones were forgotten.
  quota.take('0', 3)
  assert.throws(() => quota.take('10000', 3), Rejection)
})
