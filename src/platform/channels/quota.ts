import { FixedWindow } from '../../fixed-window.ts'
import { Rejection } from '../../protocol/rejection.ts'

const WINDOW_MS = 3_600_000

/** Limits the calls of each caller an hour, in this process. */
export class CallQuota {
  readonly #max: number
  readonly #calls = new FixedWindow({ windowMs: WINDOW_MS })

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one call at Unix ms `now`. Throws a Rejection when there have been too many. */
  take(caller: string, now: number): void {
    const exceeded = this.#calls.take(caller, this.#max, now)
    if (!exceeded) return
    throw new Rejection('rate_limited', `Too many requests: ${this.#max} an hour for one channel`, {
      retryAfterSeconds: Math.max(1, Math.ceil(exceeded.retryAfterMs / 1000)),
    })
  }
}
