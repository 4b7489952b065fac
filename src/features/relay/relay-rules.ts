import type { Fees } from '../../kernel/accounts/chain/transactions.ts'
import { MIN_RAISE_PERCENT, RAISE_PERCENT } from './settings.ts'

const atMost = (value: bigint, limit: bigint) => (value < limit ? value : limit)
const atLeast = (value: bigint, limit: bigint) => (value > limit ? value : limit)
const raised = (value: bigint, percent: bigint) => (value * (100n + percent) + 99n) / 100n

/** The present fees, capped at the limit of the settings. */
export const payableFees = (present: Fees, maxFee: bigint): Fees => ({
  maxFee: atMost(present.maxFee, maxFee),
  tip: atMost(present.tip, maxFee),
})

/**
 * The fees with which a transaction replaces one with the same nonce; undefined when they would exceed the
 * limit.
 */
export function replacementFees(before: Fees, present: Fees, maxFee: bigint): Fees | undefined {
  const raise = (of: 'maxFee' | 'tip') =>
    atMost(atLeast(raised(before[of], RAISE_PERCENT), present[of]), maxFee)
  const fees = { maxFee: raise('maxFee'), tip: raise('tip') }
  const isEnough = (of: 'maxFee' | 'tip') => fees[of] >= raised(before[of], MIN_RAISE_PERCENT)
  return isEnough('maxFee') && isEnough('tip') ? fees : undefined
}

/** The unused nonces from `next` on that are below a used one: they block all higher ones. */
export function missingNonces(next: number, held: readonly number[], limit: number): number[] {
  const missing: number[] = []
  const taken = new Set(held)
  const last = Math.max(...held)
  for (let nonce = next; nonce < last && missing.length < limit; nonce++) {
    if (!taken.has(nonce)) missing.push(nonce)
  }
  return missing
}
