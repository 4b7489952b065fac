import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { Effects } from './fault.ts'

const CODES: Readonly<Record<number, RejectionCode>> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'unauthorized',
  404: 'not_found',
  409: 'changed_meanwhile',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
}

/** The refusal of a status, as interfaces write theirs; undefined for one that only proxies answer. */
export function refusalOf(status: number, { retryAfterSeconds }: Effects): Rejection | undefined {
  const code = CODES[status]
  if (code === undefined) return undefined
  const message = `this network was told to answer ${status} here`
  return new Rejection(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}
