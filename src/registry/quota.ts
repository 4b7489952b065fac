import { Rejection } from '../protocol/rejection.ts'
import { QuotaWindows, type UsedQuota } from '../storage/quotas.ts'
import type { Reader } from '../storage/storage.ts'

const WINDOW_MS = 60_000
const NAME = 'name changes'
const ALL_FIDS = 'all'

type Limits = { readonly perFid: number; readonly total: number }

/**
 * Limits accepted name changes per minute, by fid and in total. Refused requests and repeats are not counted. What has
 * changed is written in the transaction that stores the names.
 */
export class ChangeQuota {
  readonly #limits: Limits
  readonly #windows: QuotaWindows

  constructor(limits: Limits, used: readonly UsedQuota[] = []) {
    this.#limits = limits
    this.#windows = new QuotaWindows(NAME, used)
  }

  /** Counts one change, at Unix ms `now`. Throws a Rejection when there have been too many. */
  take(fid: number, now: number): void {
    const { perFid, total } = this.#limits
    const own = { windowMs: WINDOW_MS, max: perFid }
    const full = this.#windows.check(String(fid), own, now)
    if (full) throw tooMany(`fid ${fid} has changed names`, full.retryAfterMs)
    const all = this.#windows.take(ALL_FIDS, { windowMs: WINDOW_MS, max: total }, now)
    if (all) throw tooMany('names have changed hands', all.retryAfterMs)
    this.#windows.take(String(fid), own, now)
  }

  get changed(): UsedQuota[] {
    return this.#windows.changed
  }
}

/** What these fids, and all together, have used. */
export const readQuota = async (
  { quotas }: Pick<Reader, 'quotas'>,
  limits: Limits,
  fids: readonly number[],
): Promise<ChangeQuota> => {
  const subjects = [...new Set(fids)].map(String)
  return new ChangeQuota(limits, await quotas.used(NAME, [...subjects, ALL_FIDS]))
}

function tooMany(what: string, retryAfterMs: number): Rejection {
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000)
  return new Rejection('rate_limited', `${what} too often; wait ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  })
}
