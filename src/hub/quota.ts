import { Rejection } from '../protocol/rejection.ts'
import type { Units } from '../protocol/storage-units.ts'

const WINDOW_MS = 24 * 3_600_000
/** Merges in 24 hours for each unit: what one unit of the first kind could hold in all stores. */
export const DAILY_MERGES_PER_UNIT = 10_080

/** Counts what each fid merges in a day. Refused messages cost nothing; memory is cleared daily. */
export class FidQuota {
  #windowStart = Number.NEGATIVE_INFINITY
  #merges = new Map<number, number>()

  /** Counts one merge, at this Unix ms. Throws a Rejection when the fid has had its share. */
  take(fid: number, units: Units, now: number): void {
    if (now < this.#windowStart || now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now
      this.#merges = new Map()
    }
    const merges = this.#merges.get(fid) ?? 0
    const allowed = DAILY_MERGES_PER_UNIT * (units.legacy + units.u2024 + units.u2025)
    if (merges >= allowed) {
      throw new Rejection('rate_limited', `rate limit exceeded for FID ${fid}`, {
        retryAfterSeconds: Math.ceil((this.#windowStart + WINDOW_MS - now) / 1000),
      })
    }
    this.#merges.set(fid, merges + 1)
  }
}
