export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const WEEK_MS = 7 * DAY_MS
export const HOUR_SECONDS = 3_600
export const DAY_SECONDS = 24 * HOUR_SECONDS

/** 2021-01-01T00:00:00Z in Unix milliseconds: second 0 of message timestamps and event ids. */
export const NETWORK_EPOCH_MS = 1_609_459_200_000

/** Network seconds fill 32 bits, in messages and in requests. */
export const MAX_NETWORK_SECONDS = 2 ** 32 - 1

/** A message may be stamped this far ahead of the checking clock; exactly this far still passes. */
export const FUTURE_TOLERANCE_SECONDS = 600

/** Network seconds (since 2021-01-01 UTC) of a moment in Unix milliseconds, rounded down. */
export function networkTime(unixMs: number): number {
  return Math.floor((unixMs - NETWORK_EPOCH_MS) / 1000)
}

/** Unix milliseconds of a moment in network seconds. */
export function unixMsOf(networkSeconds: number): number {
  return networkSeconds * 1000 + NETWORK_EPOCH_MS
}
