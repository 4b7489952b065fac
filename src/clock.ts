/** The time, passed to whatever needs it: the machine's, a test's, or one that can be moved on. */
export type Clock = {
  /** Unix ms. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

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
