import { FixedWindow } from '../fixed-window.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Units } from '../protocol/storage-units.ts'

const WINDOW_MS = 24 * 3_600_000
/** Merges in 24 hours for each unit: what one unit of the first kind could hold in all stores. */
export const DAILY_MERGES_PER_UNIT = 10_080
/**
 * Bytes merged in 24 hours for each unit: about 400 for each of the merges above. A like has 150 and a full
 * cast 450, but a link compact state has up to 64 KiB, and events keep each of them for three days.
 */
export const DAILY_BYTES_PER_UNIT = 4 * 1024 * 1024
/** Fids counted at a time, about 100 bytes each. */
const MAX_FIDS = 1_000_000

/** Limits how many messages and how many bytes each fid merges in a day. Refused messages are not counted. */
export class FidQuota {
  readonly #merges = new FixedWindow({ windowMs: WINDOW_MS, maxKeys: MAX_FIDS })
  readonly #bytes = new FixedWindow({ windowMs: WINDOW_MS, maxKeys: MAX_FIDS })

  /**
   * Counts one merge of `bytes` bytes, at Unix ms `now`. Throws a Rejection when the fid has reached its
   * limit, and then counts nothing.
   */
  take(fid: number, { units, bytes }: { units: Units; bytes: number }, now: number): void {
    const unitCount = units.legacy + units.u2024 + units.u2025
    const exceeded =
      this.#bytes.check(fid, DAILY_BYTES_PER_UNIT * unitCount, now, bytes) ??
      this.#merges.take(fid, DAILY_MERGES_PER_UNIT * unitCount, now)
    if (!exceeded) {
      this.#bytes.count(fid, now, bytes)
      return
    }
    throw new Rejection('rate_limited', `rate limit exceeded for FID ${fid}`, {
      retryAfterSeconds: Math.ceil(exceeded.retryAfterMs / 1000),
    })
  }
}
