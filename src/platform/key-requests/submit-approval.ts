import type { AddFor, UserTransaction } from '../../accounts/port.ts'
import { equalBytes } from '../../protocol/bytes.ts'
import { encodeSignedKeyRequestMetadata } from '../../protocol/eip712.ts'
import { Rejection, type RejectionCode } from '../../protocol/rejection.ts'
import type { SignedAdd, StoredKeyRequest } from '../../storage/key-requests.ts'
import type { Writer } from '../../storage/storage.ts'
import type { PlatformContext } from '../context.ts'
import { failApproved } from './account-events.ts'
import { releaseCredits } from './credits.ts'
import { UNAPPROVED } from './key-request-states.ts'
import { KEY_TYPE, METADATA_TYPE } from './limits.ts'

// What a user has approved, on its way to the accounts.

/** What the key carries for ever: who asked for it. */
export const metadataOf = (request: StoredKeyRequest): Uint8Array =>
  encodeSignedKeyRequestMetadata({
    requestFid: BigInt(request.request_fid),
    requestSigner: request.request_signer,
    signature: request.signature,
    deadline: BigInt(request.deadline),
  })

/** The call that adds the key of a request, as its user signed it. */
export const addOf = (
  request: StoredKeyRequest,
  { add_owner, add_deadline, add_signature }: Omit<SignedAdd, 'add_nonce'>,
): AddFor => ({
  owner: add_owner,
  keyType: KEY_TYPE,
  key: request.key,
  metadataType: METADATA_TYPE,
  metadata: metadataOf(request),
  deadline: BigInt(add_deadline),
  signature: add_signature,
})

export const signedOf = (request: StoredKeyRequest): SignedAdd => ({
  add_owner: request.add_owner!,
  add_nonce: request.add_nonce!,
  add_deadline: request.add_deadline!,
  add_signature: request.add_signature!,
})

/** What only ends with another request: the key was used, or the app's own signature does not count. */
const FOR_GOOD: readonly RejectionCode[] = ['InvalidState', 'InvalidMetadata']

export const isForGood = ({ code }: Rejection): boolean => FOR_GOOD.includes(code)

export type SubmitResult = {
  /** What the user has to send, where nobody does it for them. */
  readonly transaction?: UserTransaction
  /** Why the accounts did not take it. */
  readonly refusal?: Rejection
}

/**
 * Gives an approved call to the accounts. What they refuse for good fails the request. After any other refusal
 * the request waits again, for another signature, and also where its user has to send the call. When the accounts
 * cannot be reached now, it is tried again later.
 */
export async function submitApproval(
  context: PlatformContext,
  request: StoredKeyRequest,
): Promise<SubmitResult> {
  const handed = await context.keyCalls.addFor(addOf(request, signedOf(request))).catch(refusalOf)
  if (handed instanceof Rejection) return refuse(context, request, handed)
  if (handed.outcome === 'accepted') {
    await markSubmitted(context, request)
    return {}
  }
  await giveBack(context, request)
  return { transaction: handed.transaction }
}

function refusalOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  throw error
}

async function refuse(
  context: PlatformContext,
  request: StoredKeyRequest,
  refusal: Rejection,
): Promise<SubmitResult> {
  if (refusal.code.startsWith('unavailable')) {
    context.onError(refusal, 'hand on an approved key')
    return {}
  }
  if (!isForGood(refusal)) await giveBack(context, request)
  else {
    const { add_owner: owner, add_signature: signature } = signedOf(request)
    const call = { owner, key: request.key, signature, error: refusal }
    await context.storage.write('hub', (tx) => failApproved(tx, call, context.now()))
  }
  return { refusal }
}

/** Lets the request wait for a user again. */
const giveBack = (context: PlatformContext, request: StoredKeyRequest) =>
  whileApproved(context, request, async (tx, row) => {
    await releaseCredits(tx, row)
    await tx.keyRequests.put([{ ...row, ...UNAPPROVED, state: 'pending' }])
  })

/** Remembers that the accounts have the call. */
export const markSubmitted = (context: PlatformContext, request: StoredKeyRequest) =>
  whileApproved(context, request, (tx, row) => tx.keyRequests.put([{ ...row, handed: 1 }]))

/** Takes an approval over from whoever did not hand it on; undefined when another process has done so. */
export async function claimApproval(
  context: PlatformContext,
  request: StoredKeyRequest,
): Promise<StoredKeyRequest | undefined> {
  const approved_at = context.now()
  const isOurs = await whileApproved(context, request, (tx, row) =>
    tx.keyRequests.put([{ ...row, approved_at }]),
  )
  return isOurs ? { ...request, approved_at } : undefined
}

/** Changes a request of which nobody but the caller takes care; false when that is not so. */
async function whileApproved(
  { storage }: PlatformContext,
  { token, add_signature, approved_at }: StoredKeyRequest,
  change: (tx: Writer, row: StoredKeyRequest) => Promise<void>,
): Promise<boolean> {
  const isSame = (row: StoredKeyRequest | undefined): row is StoredKeyRequest =>
    row?.state === 'approved' &&
    row.handed === 0 &&
    row.approved_at === approved_at &&
    equalBytes(row.add_signature!, add_signature!)
  // Most are completed by now, and need no lock.
  if (!isSame(await storage.keyRequests.byToken(token))) return false
  return storage.write('hub', async (tx) => {
    const row = await tx.keyRequests.byToken(token)
    if (!isSame(row)) return false
    await change(tx, row)
    return true
  })
}
