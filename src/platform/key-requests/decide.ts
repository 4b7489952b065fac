import { equalBytes } from '../../protocol/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../protocol/eip712.ts'
import type { StoredKeyRequest } from '../../storage/key-requests.ts'
import { KEPT_SECONDS } from './rules.ts'

/** A key that an account has been given. */
export type AddedKey = {
  readonly fid: number
  readonly key: Uint8Array
  readonly metadata: Uint8Array
}

/**
 * Whether a request is fulfilled by a key that was added: when that is what its user approved, or, while
 * nobody has approved it, when somebody added the key with this very request by other means.
 */
export function isFulfilledBy(request: StoredKeyRequest, added: AddedKey): boolean {
  if (!equalBytes(request.key, added.key)) return false
  if (request.state === 'approved') return request.user_fid === added.fid
  return request.state === 'pending' && isRequestOf(request, added.metadata)
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
): StoredKeyRequest => ({ ...ended(request, now), state: 'completed', user_fid: userFid })

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
