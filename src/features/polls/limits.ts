import { DAY_SECONDS } from '../../kernel/protocol/time.ts'

// The bounds of polls. Lengths are UTF-16 units, as the format of snaps counts them.

/** What a text of a page may have. */
export const MAX_QUESTION_CHARACTERS = 320
/** What an option of a toggle group may have. */
export const MAX_ANSWER_CHARACTERS = 30
export const MIN_ANSWERS = 2
/** As many options and bars as a page may have. */
export const MAX_ANSWERS = 6
/** A shorter one is over before people see it. */
export const MIN_POLL_SECONDS = 300
/** The longest that people remember what they were asked. */
export const MAX_POLL_SECONDS = 30 * DAY_SECONDS
/** Polls that one account makes within a day. */
export const MAX_POLLS_PER_DAY = 10
/** Polls of one account that are kept: each has its page for as long as there are casts with it. */
export const MAX_POLLS_PER_FID = 500
/** Who chose what is forgotten this long after the end; the result stays. */
export const VOTES_KEPT_DAYS = 30

/** Ten random bytes in base32. */
export const POLL_ID = /^[a-z2-7]{16}$/
