import { Rejection } from '../protocol/rejection.ts'
import { QuotaWindows, type UsedQuota } from '../storage/quotas.ts'
import type { Reader, Writer } from '../storage/storage.ts'

const WINDOW_MS = 60_000
const NAME = 'name changes'
const ALL_FIDS = 'all'

type Limits = { readonly perFid: number; readonly total: number }

/**
 * Limits accepted name changes per minute, by fid and in total. Refused requests and repeats are not counted.
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

const readQuota = async ({ quotas }: Pick<Reader, 'quotas'>, limits: Limits, fid: number) =>
  new ChangeQuota(limits, await quotas.used(NAME, [String(fid), ALL_FIDS]))

/** Throws a Rejection when `takeChange` would. */
export async function checkChange(
  reader: Pick<Reader, 'quotas'>,
  limits: Limits,
  fid: number,
  now: number,
): Promise<void> {
  const quota = await readQuota(reader, limits, fid)
  quota.take(fid, now)
}

/** Counts one change of names in the transaction that stores it. Throws a Rejection when there have been too many. */
export async function takeChange(
  tx: Pick<Writer, 'quotas'>,
  limits: Limits,
  fid: number,
  now: number,
): Promise<void> {
  const quota = await readQuota(tx, limits, fid)
  quota.take(fid, now)
  await tx.quotas.put(quota.changed)
}

function tooMany(what: string, retryAfterMs: number): Rejection {
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000)
  return new Rejection('rate_limited', `${what} too often; wait ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  })
}
