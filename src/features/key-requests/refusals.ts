import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { StoredKeyRequest } from './tables/key-requests.ts'

/** Adds the platform's hints to a rejection of the contracts. */
export function inWords(error: Rejection): Rejection {
  const isContracts = /^[A-Z][a-z]/.test(error.code)
  if (!isContracts) return error
  const field = error.code === 'SignatureExpired' ? 'deadline' : 'signature'
  return new Rejection(error.code, error.message, {
    field,
    reason: 'transaction_would_revert',
    data: { revertError: { name: error.code } },
  })
}

/** The rejection for a request that has failed. */
export function failure({ reason, error_name }: StoredKeyRequest, message?: string): Rejection {
  return new Rejection('bad_request.conflict', message ?? `the request has failed: ${reason}`, {
    reason: reason ?? 'not_available',
    ...(error_name !== null && { data: { revertError: { name: error_name } } }),
  })
}

/** Throws when the deadline of a signature for the hub has passed, which the hub does not look at. */
export function checkDeadline(deadline: number, now: number): void {
  if (deadline >= now) return
  const text = 'the deadline of the signature has passed'
  throw new Rejection('SignatureExpired', text, { field: 'deadline' })
}
