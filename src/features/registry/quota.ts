import { type Exceeded, refusalOf, secondsOf } from '../../kernel/limits/exceeded.ts'
import { Quota, type QuotaTerms } from '../../kernel/limits/quota.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { UsedQuota } from '../../kernel/storage/tables/quotas.ts'

const WINDOW_MS = 60_000
const NAME = 'name changes'
const ALL_FIDS = 'all'

type Limits = { readonly perFid: number; readonly total: number }

/**
 * Limits accepted name changes per minute, by fid and in total. Refused requests and repeats are not counted. What has
 * changed is written in the transaction that stores the names.
 */
export class ChangeQuota {
  readonly #terms: { readonly own: QuotaTerms; readonly all: QuotaTerms }
  readonly #quota: Quota

  constructor({ perFid, total }: Limits, used: readonly UsedQuota[] = []) {
    const terms = (max: number) => ({ windowMs: WINDOW_MS, max })
    this.#terms = { own: terms(perFid), all: terms(total) }
    this.#quota = new Quota(NAME, used)
  }

  /** Why a fid may make no further change at Unix ms `now`. */
  excessOf(fid: number, now: number): Rejection | undefined {
    const { own, all } = this.#terms
    const full = this.#quota.check(String(fid), own, now)
    if (full) return tooMany(`fid ${fid} has changed names`, full)
    const allFull = this.#quota.check(ALL_FIDS, all, now)
    return allFull && tooMany('names have changed hands', allFull)
  }

  /** Counts one change. Throws a Rejection when there have been too many. */
  consume(fid: number, now: number): void {
    const { own, all } = this.#terms
    const excess = this.excessOf(fid, now)
    if (excess) throw excess
    this.#quota.tryConsume(String(fid), own, now)
    this.#quota.tryConsume(ALL_FIDS, all, now)
  }

  get changed(): UsedQuota[] {
    return this.#quota.changed
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

const tooMany = (what: string, exceeded: Exceeded): Rejection =>
  refusalOf(exceeded, `${what} too often; wait ${secondsOf(exceeded.retryAfterMs)} seconds`)
