import { indexOfFid } from './graph.ts'
import { FOUNDERS } from './rules.ts'

/** Where trust begins; weights count against each other. */
export type Seed = { readonly fid: number; readonly weight: number }

/**
 * Those the settings name, else the oldest of all accounts, the older the more; and those the operator
 * has added. Nobody moves up for one who is excluded: who registers next would only have to wait for it.
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
