import { Rejection } from '../protocol/rejection.ts'

const WINDOW_MS = 60_000

/** Counts accepted changes, by fid and in all. Refused requests and repeats cost nothing. */
export class ChangeQuota {
  readonly #limits: { readonly perFid: number; readonly total: number }
  #windowStart = Number.NEGATIVE_INFINITY
  #total = 0
  #byFid = new Map<number, number>()

  constructor(limits: { readonly perFid: number; readonly total: number }) {
    this.#limits = limits
  }

  /** Counts one change, at this Unix ms. Throws a Rejection when there have been too many. */
  take(fid: number, now: number): void {
    if (now - this.#windowStart >= WINDOW_MS || now < this.#windowStart) {
      this.#windowStart = now
      this.#total = 0
      this.#byFid = new Map()
    }
    const own = this.#byFid.get(fid) ?? 0
    if (own >= this.#limits.perFid) throw this.#exceeded(`fid ${fid} has changed names`, now)
    if (this.#total >= this.#limits.total) throw this.#exceeded('names have changed hands', now)
    this.#total++
    this.#byFid.set(fid, own + 1)
  }

  #exceeded(what: string, now: number): Rejection {
    const retryAfterSeconds = Math.ceil((this.#windowStart + WINDOW_MS - now) / 1000)
    return new Rejection('rate_limited', `${what} too often; wait ${retryAfterSeconds} seconds`, {
      retryAfterSeconds,
    })
  }
}
