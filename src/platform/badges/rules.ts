import type { EdgeKind } from '../../storage/graph.ts'

// The numbers of the score; docs/power-badges.md says what they do and why.

const DAY_SECONDS = 24 * 3_600

/** How much of what an account gives goes with one thing it does, once for each account it does it to. */
export const WEIGHTS: Readonly<Record<EdgeKind, number>> = {
  follow: 1,
  like: 1,
  recast: 2,
  reply: 2,
}

/** The part of its trust that an account passes on; the rest begins anew with the seeds. */
export const DAMPING = 0.8
/** Rounds of passing on: what is left to move after them is 0.8^60, a millionth of all trust. */
export const ROUNDS = 60
/**
 * Weight over which everybody spreads their trust at least: whoever does little gives one other account
 * no more than a small part, and the rest back to the seeds.
 */
export const LEAST_BUDGET = 50

/** The oldest accounts are the seeds unless the operator names some; later ones cannot become so. */
export const FOUNDERS = 10

/** Likes, recasts and replies count this long; follows as long as they stand. */
export const INTERACTION_WINDOW_SECONDS = 90 * DAY_SECONDS
/** Who has cast nothing for so long has no badge. */
export const ACTIVITY_WINDOW_SECONDS = 30 * DAY_SECONDS
/** Distinct accounts of standing whose trust it takes, where there are so many. */
export const LEAST_SUPPORTERS = 3

/** Sets that stay readable, the one in force among them: a year of them. */
export const KEPT_SETS = 53
/** Fids that the operator adds or excludes. */
export const MAX_MARKS = 10_000
