import { FixedWindow } from '../fixed-window.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Units } from '../protocol/storage-units.ts'

const WINDOW_MS = 24 * 3_600_000
/** Merges in 24 hours for each unit: what one unit of the first kind could hold in all stores. */
export const DAILY_MERGES_PER_UNIT = 10_080
/** Fids counted at a time, about 100 bytes each. */
const MAX_FIDS = 1_000_000

/** Limits what each fid merges in a day. Refused messages are not counted. */
export class FidQuota {
  readonly #merges = new FixedWindow({ windowMs: WINDOW_MS, maxKeys: MAX_FIDS })

  /** Counts one merge, at Unix ms `now`. Throws a Rejection when the fid has reached its limit. */
  take(fid: number, units: Units, now: number): void {
    const allowed = DAILY_MERGES_PER_UNIT * (units.legacy + units.u2024 + units.u2025)
    const exceeded = this.#merges.take(fid, allowed, now)
    if (!exceeded) return
    throw new Rejection('rate_limited', `rate limit exceeded for FID ${fid}`, {
      retryAfterSeconds: Math.ceil(exceeded.retryAfterMs / 1000),
    })
  }
}
