/** 2021-01-01T00:00:00Z in Unix milliseconds: second 0 of message timestamps and event ids. */
export const NETWORK_EPOCH_MS = 1_609_459_200_000

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
