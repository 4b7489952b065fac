import { equalBytes } from '../../protocol/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../protocol/eip712.ts'
import type { StoredKeyRequest } from '../../storage/key-requests.ts'
import { KEPT_SECONDS, LATE_SECONDS, MAX_WAIT_SECONDS } from './limits.ts'

/** A key that an account has been given. */
export type AddedKey = {
  readonly fid: number
  readonly key: Uint8Array
  readonly metadata: Uint8Array
}

/**
 * Whether a request is fulfilled by a key that was added: when that is what its user approved, or, while
 * nobody has approved it, when somebody added the key with this very request by other means. A call of ours
 * fails when somebody else sends it first: the request is fulfilled all the same.
 */
export function isFulfilledBy(request: StoredKeyRequest, added: AddedKey): boolean {
  if (!equalBytes(request.key, added.key)) return false
  if (request.state === 'approved') return request.user_fid === added.fid
  const isOpen = request.state === 'pending' || request.state === 'failed'
  return isOpen && isRequestOf(request, added.metadata)
}

function isRequestOf(request: StoredKeyRequest, metadata: Uint8Array): boolean {
  const decoded = decodeSignedKeyRequestMetadata(metadata)
  return (
    decoded !== undefined &&
    decoded.requestFid === BigInt(request.request_fid) &&
    equalBytes(decoded.signature, request.signature)
  )
}

export const completed = (
  request: StoredKeyRequest,
  userFid: number,
  now: number,
): StoredKeyRequest => ({
  ...ended(request, now),
  // What somebody else sent is not our approval's doing.
  ...(request.state === 'failed' && UNAPPROVED),
  state: 'completed',
  user_fid: userFid,
  reason: null,
  error_name: null,
})

export const UNAPPROVED = {
  user_fid: null,
  approved_at: null,
  add_owner: null,
  add_nonce: null,
  add_deadline: null,
  add_signature: null,
} as const

/** Made again out of a completed one: what was approved goes to the accounts once more, anything else waits. */
export function reopened(request: StoredKeyRequest, now: number): StoredKeyRequest {
  const { add_signature, add_deadline, created_at, deadline, forget_at } = request
  const isApproved = add_signature !== null
  const until = isApproved
    ? add_deadline! + LATE_SECONDS
    : Math.min(deadline, created_at + MAX_WAIT_SECONDS)
  return {
    ...request,
    ...(isApproved ? { state: 'approved', approved_at: now } : { ...UNAPPROVED, state: 'pending' }),
    handed: 0,
    forget_at: Math.max(forget_at, until + KEPT_SECONDS),
  }
}

export const failed = (
  request: StoredKeyRequest,
  now: number,
  why: { reason: string; errorName?: string | undefined },
): StoredKeyRequest => ({
  ...ended(request, now),
  state: 'failed',
  reason: why.reason,
  error_name: why.errorName ?? null,
})

export const denied = (request: StoredKeyRequest, now: number): StoredKeyRequest => ({
  ...ended(request, now),
  state: 'denied',
})

const ended = (request: StoredKeyRequest, now: number): StoredKeyRequest => ({
  ...request,
  forget_at: now + KEPT_SECONDS,
})
