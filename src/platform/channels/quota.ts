import { Rejection } from '../../protocol/rejection.ts'

const WINDOW_MS = 3_600_000
/** Beyond so many callers in an hour the one that called first is forgotten, and starts anew. */
const MAX_CALLERS = 10_000

/** Counts calls of each caller in windows of an hour, in this process. */
export class CallQuota {
  readonly #max: number
  // All windows are equally long and enter as they open: the map is in order of their ends.
  readonly #windows = new Map<string, { endsAt: number; count: number }>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one call at this Unix ms. Throws a Rejection when there have been too many. */
  take(caller: string, now: number): void {
    const open = this.#windows.get(caller)
    // A clock that was set back by more than a window begins a new one.
    if (open && now < open.endsAt && open.endsAt - now <= WINDOW_MS) {
      if (open.count >= this.#max) throw tooMany(this.#max, open.endsAt - now)
      open.count += 1
      return
    }
    this.#windows.delete(caller)
    this.#makeRoom(now)
    this.#windows.set(caller, { endsAt: now + WINDOW_MS, count: 1 })
  }

  #makeRoom(now: number): void {
    for (const [caller, { endsAt }] of this.#windows) {
      if (now < endsAt && this.#windows.size < MAX_CALLERS) return
      this.#windows.delete(caller)
    }
  }
}

const tooMany = (max: number, leftMs: number): Rejection =>
  new Rejection('rate_limited', `Too many requests: ${max} an hour for one channel`, {
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  })
