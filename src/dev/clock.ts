import type { Clock } from '../kernel/base/clock.ts'
import { Rejection } from '../kernel/protocol/rejection.ts'
import { DAY_SECONDS } from '../kernel/protocol/time.ts'
import type { Storage } from '../kernel/storage/storage.ts'

const CURSOR = 'dev-clock-ahead-seconds'

/** Event ids hold times up to the year 2090; half of that way is far enough for any test. */
export const MAX_AHEAD_SECONDS = 30 * 365 * DAY_SECONDS

/**
 * A clock that runs ahead of another one by what it was advanced. The offset is stored with the data, so that
 * time does not go back when the program restarts.
 */
export class DevClock implements Clock {
  readonly #base: Clock
  #aheadSeconds = 0

  constructor(base: Clock) {
    this.#base = base
  }

  now(): number {
    return this.#base.now() + this.#aheadSeconds * 1000
  }

  /** Without what it was advanced. */
  realNow(): number {
    return this.#base.now()
  }

  get aheadSeconds(): number {
    return this.#aheadSeconds
  }

  /** The time (Unix ms) of a network with these cursors. */
  async timeOf(cursors: Pick<Storage['cursors'], 'get'>): Promise<number> {
    return this.#base.now() + Number((await cursors.get(CURSOR)) ?? 0) * 1000
  }

  async load(storage: Storage): Promise<void> {
    this.#aheadSeconds = Number((await storage.cursors.get(CURSOR)) ?? 0)
  }

  async advance(storage: Storage, seconds: number): Promise<void> {
    const ahead = this.#aheadSeconds + seconds
    if (ahead > MAX_AHEAD_SECONDS) {
      const message = `the clock can be at most ${MAX_AHEAD_SECONDS} seconds ahead; it would be ${ahead}`
      throw new Rejection('bad_request.invalid_param', message, { field: 'advanceSeconds' })
    }
    await storage.write('hub', (tx) => tx.cursors.put(CURSOR, String(ahead)))
    this.#aheadSeconds = ahead
  }
}
