import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import type { EdgeKind } from '../../kernel/storage/tables/graph.ts'

// The constants of the score; docs/power-badges.md explains them.

/** Weight of an interaction, counted once for each pair of accounts and kind. */
export const WEIGHTS: Readonly<Record<EdgeKind, number>> = {
  follow: 1,
  like: 1,
  recast: 2,
  reply: 2,
}

/** The part of its trust that an account passes on; the rest returns to the seeds. */
export const DAMPING = 0.8
/** Rounds of propagation: afterwards 0.8^60 of all trust, a millionth, is left to move. */
export const ROUNDS = 60
/**
 * The minimum weight over which an account spreads its trust: an inactive account gives another one only a
 * small part, and the rest returns to the seeds.
 */
export const LEAST_BUDGET = 50

/**
 * The number of oldest accounts that are seeds unless the operator names others; later accounts cannot become
 * seeds.
 */
export const FOUNDERS = 10

/** Likes, recasts and replies count this long; follows as long as they exist. */
export const INTERACTION_WINDOW_SECONDS = 90 * DAY_SECONDS
/** An account without a cast in this time has no badge. */
export const ACTIVITY_WINDOW_SECONDS = 30 * DAY_SECONDS
/** Number of distinct trusted accounts that must trust a holder, in networks that have as many. */
export const LEAST_SUPPORTERS = 3
