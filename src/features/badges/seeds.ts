import { indexOfFid } from './graph.ts'
import { FOUNDERS } from './rules.ts'

/** The seeds of trust with their relative weights. */
export type Seed = { readonly fid: number; readonly weight: number }

/**
 * The seeds: those in the settings, otherwise the oldest accounts with more weight for older ones, plus those
 * that the operator added. An excluded seed is not replaced, so that later accounts gain nothing from an
 * exclusion.
 */
export function seedsOf(
  fids: Uint32Array,
  options: {
    readonly named?: readonly number[]
    readonly added?: readonly number[]
    readonly excluded?: ReadonlySet<number>
  } = {},
): Seed[] {
  const { named = [], added = [], excluded } = options
  const weights = new Map<number, number>()
  if (named.length === 0) {
    fids.subarray(0, FOUNDERS).forEach((fid, i) => {
      weights.set(fid, (FOUNDERS - i) / FOUNDERS)
    })
  }
  for (const fid of [...named, ...added]) weights.set(fid, 1)
  return [...weights]
    .filter(([fid]) => indexOfFid(fids, fid) >= 0 && !excluded?.has(fid))
    .map(([fid, weight]) => ({ fid, weight }))
    .sort((a, b) => a.fid - b.fid)
}
