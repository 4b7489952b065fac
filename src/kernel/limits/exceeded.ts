import { Rejection, type RejectionCode } from '../protocol/rejection.ts'

/** A limit is reached, and when the same may be tried again. */
export type Exceeded = { readonly retryAfterMs: number }

/** The refusal of what exceeds a limit. */
export const refusalOf = (
  { retryAfterMs }: Exceeded,
  text: string,
  code: RejectionCode = 'rate_limited',
): Rejection => new Rejection(code, text, { retryAfterSeconds: secondsOf(retryAfterMs) })

/** As Retry-After says it: whole seconds, at least one. */
export const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))
