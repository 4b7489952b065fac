import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPro, proExpiry } from './tiers.ts'
import { DAY_SECONDS } from './time.ts'

const pro = (purchasedAt: number, forDays: number) => ({ tierType: 1, purchasedAt, forDays })

test('a pro subscription is active from its purchase to the last second of its days, and not after', () => {
  const purchases = [pro(1_000, 30)]
  const last = 1_000 + 30 * DAY_SECONDS
  assert.equal(isPro(purchases, 999), false)
  assert.equal(isPro(purchases, 1_000), true)
  assert.equal(isPro(purchases, last), true)
  assert.equal(isPro(purchases, last + 1), false)
  assert.equal(isPro([], 1_000), false)
})

test('a purchase during a pro subscription extends it, one after its end begins anew', () => {
  const at = 1_000
  assert.equal(
    proExpiry([pro(at, 30), pro(at + DAY_SECONDS, 10)], at + DAY_SECONDS),
    at + 40 * DAY_SECONDS,
  )
  assert.equal(
    proExpiry([pro(at, 30), pro(at + 50 * DAY_SECONDS, 10)], at + 50 * DAY_SECONDS),
    at + 60 * DAY_SECONDS,
  )
})

test('purchases in the future and of other tiers do not count', () => {
  assert.equal(proExpiry([pro(5_000, 30)], 4_999), 0)
  assert.equal(proExpiry([{ ...pro(1_000, 30), tierType: 0 }], 2_000), 0)
})
