import { FixedWindow } from '../fixed-window.ts'
import { Rejection } from '../protocol/rejection.ts'

const WINDOW_MS = 60_000
/** Fids counted at a time, about 100 bytes each. */
const MAX_FIDS = 100_000

/**
 * Limits accepted name changes per minute, by fid and in total. Refused requests and repeats are not counted.
 */
export class ChangeQuota {
  readonly #limits: { readonly perFid: number; readonly total: number }
  readonly #byFid = new FixedWindow({ windowMs: WINDOW_MS, maxKeys: MAX_FIDS })
  readonly #total = new FixedWindow({ windowMs: WINDOW_MS })

  constructor(limits: { readonly perFid: number; readonly total: number }) {
    this.#limits = limits
  }

  /** Counts one change, at Unix ms `now`. Throws a Rejection when there have been too many. */
  take(fid: number, now: number): void {
    const { perFid, total } = this.#limits
    const own = this.#byFid.check(fid, perFid, now)
    if (own) throw tooMany(`fid ${fid} has changed names`, own.retryAfterMs)
    const all = this.#total.take('all', total, now)
    if (all) throw tooMany('names have changed hands', all.retryAfterMs)
    this.#byFid.count(fid, now)
  }
}

function tooMany(what: string, retryAfterMs: number): Rejection {
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1000)
  return new Rejection('rate_limited', `${what} too often; wait ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  })
}
