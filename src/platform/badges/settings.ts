/** What an operator decides about badges. */
export type BadgeSettings = {
  /** Fids that trust begins with; the oldest accounts when there are none. */
  readonly seeds: readonly number[]
  /** The part of all trust that those with a badge hold together, 0 to 1. */
  readonly part: number
  /** No more than so many have one; 0: nothing is computed. */
  readonly max: number
}
