/** The time, as a parameter: the machine's, a test's, or one that can be moved forward. */
export type Clock = {
  /** Unix ms. */
  now(): number
}

/** Unix seconds, as the protocol counts time. */
export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000)

export const systemClock: Clock = { now: () => Date.now() }
