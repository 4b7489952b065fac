import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../kernel/protocol/crypto/key-request-metadata.ts'
import { KEPT_SECONDS, LATE_SECONDS, MAX_WAIT_SECONDS } from './limits.ts'
import type { KeyRequestState, SignedAdd, StoredKeyRequest } from './tables/key-requests.ts'

/**
 * The states of a request and every way from one to another. Each transition has a function below.
 *
 *     pending ──approve──▶ approved ──complete──▶ completed
 *
 * A request starts as pending. The user approves or denies it. It is completed when the accounts have added the key.
 */
export const TRANSITIONS = {
  /** The user signed the call that adds the key; a sponsor's credits are reserved. */
  approve: { from: ['pending'], to: 'approved' },
  deny: { from: ['pending'], to: 'denied' },
  /** The accounts rejected the call, but another signature may succeed; or the user has to send it. */
  withdrawApproval: { from: ['approved'], to: 'pending' },
  /** The request can never be fulfilled, or its approval was not confirmed in time. */
  fail: { from: ['pending', 'approved'], to: 'failed' },
  /** The key was added: by the approved call, or by another sender with the same request. */
  complete: { from: ['pending', 'approved', 'failed'], to: 'completed' },
  /** A reorg removed the key; the approved call is submitted again. */
  reopenApproved: { from: ['completed'], to: 'approved' },
  /** A reorg removed the key, which another sender had added; the request waits for its user again. */
  reopenPending: { from: ['completed'], to: 'pending' },
} as const satisfies Record<string, { from: readonly KeyRequestState[]; to: KeyRequestState }>

export type Transition = keyof typeof TRANSITIONS

/** The request after a transition. Throws when the transition does not start from the request's state. */
function move(
  request: StoredKeyRequest,
  transition: Transition,
  changes: Partial<StoredKeyRequest>,
): StoredKeyRequest {
  const { from, to }: { from: readonly KeyRequestState[]; to: KeyRequestState } =
    TRANSITIONS[transition]
  if (from.includes(request.state)) return { ...request, ...changes, state: to }
  throw new Error(`a key request that is ${request.state} cannot ${transition}`)
}

const UNAPPROVED = {
  user_fid: null,
  approved_at: null,
  add_owner: null,
  add_nonce: null,
  add_deadline: null,
  add_signature: null,
} as const

/** A request in a final state can be read until it expires. */
const expiry = (now: number) => ({ forget_at: now + KEPT_SECONDS })

export const approved = (
  request: StoredKeyRequest,
  { userFid, signed }: { readonly userFid: number; readonly signed: SignedAdd },
  now: number,
): StoredKeyRequest =>
  move(request, 'approve', {
    ...signed,
    user_fid: userFid,
    approved_at: now,
    // Confirmation may take longer than the request would have waited for its user.
    forget_at: Math.max(request.forget_at, signed.add_deadline + LATE_SECONDS + KEPT_SECONDS),
  })

export const approvalWithdrawn = (request: StoredKeyRequest): StoredKeyRequest =>
  move(request, 'withdrawApproval', UNAPPROVED)

export const denied = (request: StoredKeyRequest, now: number): StoredKeyRequest =>
  move(request, 'deny', expiry(now))

export const failed = (
  request: StoredKeyRequest,
  now: number,
  why: { reason: string; errorName?: string | undefined },
): StoredKeyRequest =>
  move(request, 'fail', {
    ...expiry(now),
    reason: why.reason,
    error_name: why.errorName ?? null,
  })

export const completed = (
  request: StoredKeyRequest,
  userFid: number,
  now: number,
): StoredKeyRequest =>
  move(request, 'complete', {
    ...expiry(now),
    // The approval of a failed request did not add the key: another call did.
    ...(request.state === 'failed' && UNAPPROVED),
    user_fid: userFid,
    reason: null,
    error_name: null,
  })

export function reopened(request: StoredKeyRequest, now: number): StoredKeyRequest {
  const { add_signature, add_deadline, created_at, deadline, forget_at } = request
  const isApproved = add_signature !== null
  const until = isApproved
    ? add_deadline! + LATE_SECONDS
    : Math.min(deadline, created_at + MAX_WAIT_SECONDS)
  return move(request, isApproved ? 'reopenApproved' : 'reopenPending', {
    ...(isApproved ? { approved_at: now } : UNAPPROVED),
    handed: 0,
    forget_at: Math.max(forget_at, until + KEPT_SECONDS),
  })
}

/** A key that was added to an account. */
export type AddedKey = {
  readonly fid: number
  readonly key: Uint8Array
  readonly metadata: Uint8Array
}

/**
 * Whether an added key fulfils a request. An approved request is fulfilled when its user gets its key. A pending or
 * failed one is fulfilled when the key's metadata contains the same request: another sender submitted the call.
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
