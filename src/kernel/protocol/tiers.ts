// Pro subscriptions: what an author's tier purchases allow.

import { DAY_SECONDS } from './time.ts'
import { TierType } from './wire/onchain_event_pb.js'

/** One TIER_PURCHASE of a fid. */
export type TierPurchase = {
  readonly tierType: number
  /** Block time, Unix seconds. */
  readonly purchasedAt: number
  readonly forDays: number
}

/**
 * The Unix second until which the pro tier is active, that second included; 0 when it never was. The
 * purchases must be in the order of block and log index. Each extends the subscription from its present
 * end, or from its own block when it has lapsed; purchases after `now` (Unix seconds) do not count yet.
 */
export function proExpiry(purchases: readonly TierPurchase[], now: number): number {
  let expires = 0
  for (const { tierType, purchasedAt, forDays } of purchases) {
    if (tierType !== TierType.Pro || purchasedAt > now) continue
    expires = Math.max(purchasedAt, expires) + forDays * DAY_SECONDS
  }
  return expires
}

/** Whether these purchases make the pro tier active at a time in Unix seconds. */
export function isPro(purchases: readonly TierPurchase[], now: number): boolean {
  return proExpiry(purchases, now) >= now
}
