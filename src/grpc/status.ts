import { errorRow, rejectionOf } from '../http/errors.ts'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'

/** How a call ends: the gRPC status number, a text, and trailers. */
type CallStatus = {
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
    trailers: errorTrailers(errCodeOf(rejection)),
    rejection,
  }
}

/** gRPC has a number of its own for messages above the size limit. */
const grpcCodeOf = (code: RejectionCode): number =>
  code === 'bad_request.too_large' ? RESOURCE_EXHAUSTED : errorRow(code).grpcCode

/** The error of a method that is not implemented. */
export const notImplemented = (method: string): Rejection =>
  new Rejection('not_supported', `${method} is not implemented`)

const DEADLINE_EXCEEDED = 4
const UNIMPLEMENTED = 12

/** The code of a status that the transport gives by itself. All but these two say that the request cannot be read. */
export function transportErrCode(status: number): string {
  if (status === DEADLINE_EXCEEDED) return 'unavailable'
  return status === UNIMPLEMENTED ? 'not_implemented' : 'bad_request.parse_failure'
}

/** The error of a request that did not arrive in time. */
export const tookTooLong = (): Rejection =>
  new Rejection('bad_request.parse_failure', 'the request took too long')

/** The error of a call whose body is not one message. */
export const notOneMessage = (method: string): Rejection =>
  new Rejection('not_supported', `${method} takes one message that is not compressed`)
