import { DAY_MS } from '../../kernel/protocol/time.ts'
import type { Digest } from './tables/addresses.ts'

const PERIOD_MS: Readonly<Record<Exclude<Digest, 'off'>, number>> = {
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
}

/** How long a digest looks back, and when the next one is made; nothing without one. */
export const periodOf = (digest: Digest): number | undefined =>
  digest === 'off' ? undefined : PERIOD_MS[digest]

export const nextDigest = (digest: Digest, now: number): number | null => {
  const period = periodOf(digest)
  return period === undefined ? null : now + period
}
