import { DAY_MS, WEEK_MS } from '../../kernel/protocol/time.ts'

/** 1970-01-06T12:00:00Z, a Tuesday. Unix time knows no summer time and no leap seconds: weeks are equal. */
const FIRST_TUESDAY_MS = 5 * DAY_MS + DAY_MS / 2

/** Unix ms of the last Tuesday, 12:00:00 UTC, at Unix ms `now`. */
export function lastDue(now: number): number {
  return FIRST_TUESDAY_MS + Math.floor((now - FIRST_TUESDAY_MS) / WEEK_MS) * WEEK_MS
}

/** The next one, always later than `now`. */
export const nextDue = (now: number): number => lastDue(now) + WEEK_MS
