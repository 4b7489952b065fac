import { errorRow, rejectionOf } from '../http/errors.ts'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'

/** How a call ends: the gRPC status number, a text, and trailers. */
export type CallStatus = {
  readonly code: number
  readonly details: string
  readonly trailers: Readonly<Record<string, string>>
  /** For metrics and the log. */
  readonly rejection: Rejection
}

const RESOURCE_EXHAUSTED = 8

/** The code that published clients know of a rejection. */
export const errCodeOf = ({ code }: Rejection): string => errorRow(code).hubCode ?? code

/** Published clients read the code of an error from these trailers alone; older ones know only the first. */
export const errorTrailers = (errCode: string) => ({ errcode: errCode, 'x-err-code': errCode })

/** The status of a call that failed with this error. */
export function statusOf(error: unknown): CallStatus {
  const rejection = rejectionOf(error)
  return {
    code: grpcCodeOf(rejection.code),
    // A lone surrogate cannot be percent-encoded.
    details: rejection.message.toWellFormed(),
    trailers: { ...errorTrailers(errCodeOf(rejection)), ...hintsOf(rejection) },
    rejection,
  }
}

/** What an answer over HTTP says in its body and by a header. */
const hintsOf = ({ field, retryAfterSeconds }: Rejection): Record<string, string> => ({
  ...(field !== undefined && { field }),
  ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
})

/** gRPC has a number of its own for messages above the size limit. */
const grpcCodeOf = (code: RejectionCode): number =>
  code === 'bad_request.too_large' ? RESOURCE_EXHAUSTED : errorRow(code).grpcCode

/** The error of a method that is not implemented. */
export const notImplemented = (method: string): Rejection =>
  new Rejection('not_supported', `${method} is not implemented`)

/** The error of a request that did not arrive in time. */
export const tookTooLong = (): Rejection =>
  new Rejection('bad_request.parse_failure', 'the request took too long')

/** The error of a request that is not one message. */
export const notOneMessage = (method: string): Rejection =>
  new Rejection('not_supported', `${method} takes one message`)
