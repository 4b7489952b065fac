import { Rejection, type RejectionCode } from '../../protocol/rejection.ts'

/** A refusal as threads post it: structured clones lose the class. */
export type PostedRejection = {
  readonly code: RejectionCode
  readonly message: string
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
}

export const postRejection = ({
  code,
  message,
  field,
  retryAfterSeconds,
}: Rejection): PostedRejection => ({ code, message, field, retryAfterSeconds })

export function receiveRejection({
  code,
  message,
  field,
  retryAfterSeconds,
}: PostedRejection): Rejection {
  const hints = retryAfterSeconds === undefined ? { field } : { field, retryAfterSeconds }
  return new Rejection(code, message, hints)
}
