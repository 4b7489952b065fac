import { KIB } from '../../kernel/protocol/sizes.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/protocol/time.ts'

/** Longer than any post. */
export const MAX_TEXT_BYTES = 12 * KIB
/** An answer has the text in another language, escaped at worst. */
export const MAX_ANSWER_BYTES = 128 * KIB
/** For name resolution, headers and body together. */
export const TIMEOUT_MS = 15_000
/** A minute after it said that this server has asked for too much, the translator is asked again. */
export const PAUSE_MS = 60_000

/** What one member may ask for: who reads many posts needs less. */
export const OF_MEMBER = { windowMs: HOUR_MS, max: 60 }
/** Which part of the characters of all one member may use: nobody alone leaves the others without. */
export const MEMBER_SHARE = 1 / 4
/** What each member may use of them however few they are: the longest post. */
export const MEMBER_LEAST = 10_000
/** What all may ask for together: with the characters of the operator. */
export const OF_SERVER = { windowMs: 30 * DAY_MS, max: 10_000_000 }
/** The bounds of the characters that the operator allows in 30 days; half a million is what DeepL translates for nothing. */
export const MIN_MONTHLY = 1_000
export const MAX_MONTHLY = 1_000_000_000
export const USUAL_MONTHLY = 500_000

/** Requests to the translator at once, which is often a small machine. */
export const RUNNING = 4
export const RUNNING_PER_MEMBER = 2
export const WAITING = 32
export const WAITING_PER_MEMBER = 2
export const WAIT_MS = 20_000

/** Translations in memory, for the next readers of a post. */
export const CACHE_BYTES = 8 * KIB * KIB
export const CACHE_MS = HOUR_MS
