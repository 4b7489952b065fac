/** The wait after the first failure, and the longest one, in milliseconds. */
export type Backoff = { readonly firstMs: number; readonly maxMs: number }

/**
 * Milliseconds to wait after this many failures in a row, one or more. The wait doubles with each; of it, a random part
 * from half to all is taken, so that many who failed together do not come back together.
 */
export function backoffMs(
  { firstMs, maxMs }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  const longest = Math.min(firstMs * 2 ** (failures - 1), maxMs)
  return Math.round(longest * (0.5 + random() / 2))
}
