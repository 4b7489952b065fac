import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import { ChangeQuota } from './quota.ts'

const refused = (seconds: number, what: RegExp) => (error: Rejection) => {
  assert.deepEqual([error.code, error.retryAfterSeconds], ['rate_limited', seconds])
  assert.match(error.message, what)
  return true
}

test('a fid may change names a number of times per minute, whatever other fids do', () => {
  const quota = new ChangeQuota({ perFid: 2, total: 100 })
  quota.consume(1, 1_000)
  quota.consume(1, 2_000)
  assert.throws(() => quota.consume(1, 31_000), refused(30, /fid 1 has changed names too often/))
  quota.consume(2, 31_000)
  assert.throws(() => quota.consume(1, 60_999), refused(1, /wait 1 seconds/))
  quota.consume(1, 61_000)
})

test('name changes of all fids together are limited, and refused ones do not count', () => {
  const quota = new ChangeQuota({ perFid: 1, total: 3 })
  quota.consume(1, 0)
  for (let i = 0; i < 10; i++) assert.throws(() => quota.consume(1, 0))
  quota.consume(2, 0)
  quota.consume(3, 0)
  assert.throws(() => quota.consume(4, 0), refused(60, /names have changed hands too often/))
  quota.consume(4, 60_000)
})

test('a clock that is set back blocks no fid', () => {
  const quota = new ChangeQuota({ perFid: 1, total: 1 })
  quota.consume(1, 1_000_000)
  quota.consume(1, 0)
})
