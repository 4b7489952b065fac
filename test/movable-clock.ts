import type { Clock } from '../src/kernel/base/clock.ts'

/** A clock that runs with another one, ahead by what it was advanced. */
export function movableClock(base: Clock): Clock & { advance(ms: number): void } {
  let ahead = 0
  return {
    now: () => base.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}
