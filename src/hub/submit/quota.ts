import { Rejection } from '../../protocol/rejection.ts'
import type { Units } from '../../protocol/storage-units.ts'
import type { Reader } from '../../storage/storage.ts'
import { QuotaWindows, type UsedQuota } from '../../storage/tables/quotas.ts'

const WINDOW_MS = 24 * 3_600_000
/** Merges in 24 hours for each unit: what one unit of the first kind could hold in all stores. */
export const DAILY_MERGES_PER_UNIT = 10_080
/**
 * Bytes merged in 24 hours for each unit: about 400 for each of the merges above. A like has 150 and a full
 * cast 450, but a link compact state has up to 64 KiB, and events keep each of them for three days.
 */
export const DAILY_BYTES_PER_UNIT = 4 * 1024 * 1024
const NAME = 'merges'

/** Limits how many messages and how many bytes each fid merges in a day. Refused messages are not counted. */
export class FidQuota {
  readonly #windows: QuotaWindows

  constructor(used: readonly UsedQuota[] = []) {
    this.#windows = new QuotaWindows(NAME, used)
  }

  /**
   * Counts one merge of `bytes` bytes, at Unix ms `now`. Throws a Rejection when the fid has reached its
   * limit, and then counts nothing.
   */
  take(fid: number, { units, bytes }: { units: Units; bytes: number }, now: number): void {
    const unitCount = units.legacy + units.u2024 + units.u2025
    const terms = {
      windowMs: WINDOW_MS,
      max: DAILY_MERGES_PER_UNIT * unitCount,
      maxAmount: DAILY_BYTES_PER_UNIT * unitCount,
    }
    const exceeded = this.#windows.take(String(fid), terms, now, bytes)
    if (!exceeded) return
    throw new Rejection('rate_limited', `rate limit exceeded for FID ${fid}`, {
      retryAfterSeconds: Math.ceil(exceeded.retryAfterMs / 1000),
    })
  }

  /** What is to be stored in the transaction that stores the merges. */
  get changed(): UsedQuota[] {
    return this.#windows.changed
  }
}

/** What fids have used of their quotas. A subject is a fid in decimal digits. */
export const readUsedQuotas = (
  { quotas }: Pick<Reader, 'quotas'>,
  subjects: readonly string[],
): Promise<UsedQuota[]> => quotas.used(NAME, subjects)
