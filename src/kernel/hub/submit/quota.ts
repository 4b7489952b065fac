import { refusalOf } from '../../limits/exceeded.ts'
import { Quota } from '../../limits/quota.ts'
import { DAY_MS } from '../../protocol/time.ts'
import type { Reader } from '../../storage/storage.ts'
import type { UsedQuota } from '../../storage/tables/quotas.ts'

const WINDOW_MS = DAY_MS
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
  readonly #quota: Quota

  constructor(used: readonly UsedQuota[] = []) {
    this.#quota = new Quota(NAME, used)
  }

  /**
   * Counts one merge of `bytes` bytes, at Unix ms `now`. Throws a Rejection when the fid has reached its
   * limit, and then counts nothing.
   */
  consume(fid: number, { units, bytes }: { units: number; bytes: number }, now: number): void {
    const terms = {
      windowMs: WINDOW_MS,
      max: DAILY_MERGES_PER_UNIT * units,
      maxAmount: DAILY_BYTES_PER_UNIT * units,
    }
    const exceeded = this.#quota.tryConsume(String(fid), terms, now, bytes)
    if (exceeded) throw refusalOf(exceeded, `rate limit exceeded for FID ${fid}`)
  }

  /** The rows to store in the transaction of the merges. */
  get changed(): UsedQuota[] {
    return this.#quota.changed
  }
}

/** What fids have used of their quotas. A subject is a fid in decimal digits. */
export const readUsedQuotas = (
  { quotas }: Pick<Reader, 'quotas'>,
  subjects: readonly string[],
): Promise<UsedQuota[]> => quotas.used(NAME, subjects)
