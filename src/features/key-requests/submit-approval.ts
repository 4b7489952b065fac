import type { AddFor, UserTransaction } from '../../kernel/accounts/port.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { failApproved } from './account-events.ts'
import type { KeyRequestContext } from './context.ts'
import { releaseCredits } from './credits.ts'
import { type GaslessRequest, inFieldsOfApproval, isGasless, keyAddMessage } from './gasless.ts'
import { approvalWithdrawn, completed } from './key-request-states.ts'
import { KEY_TYPE, METADATA_TYPE } from './limits.ts'
import { metadataOf } from './metadata.ts'
import type { SignedAdd, StoredKeyRequest } from './tables/key-requests.ts'
import { keyRequestRows } from './tables/key-requests.ts'

// Submits approved calls to the accounts, which add the keys, and approved messages to the hub.

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

/** Errors that no other approval of the request can avoid: the key was used, or the app's signature is invalid. */
const PERMANENT_ERRORS: readonly RejectionCode[] = ['InvalidState', 'InvalidMetadata']

export const isPermanent = ({ code }: Rejection): boolean => PERMANENT_ERRORS.includes(code)

export type SubmitResult = {
  /** The transaction that the user must send, when this server sends none. */
  readonly transaction?: UserTransaction
  /** Why the accounts rejected the call. */
  readonly refusal?: Rejection
}

/**
 * Submits an approved call to the accounts. A permanent error fails the request. After any other rejection, and when
 * the user has to send the transaction, the request is pending again. While the accounts are unavailable it stays
 * approved and is submitted again later.
 */
export async function submitApproval(
  context: KeyRequestContext,
  request: StoredKeyRequest,
): Promise<SubmitResult> {
  if (isGasless(request)) return submitMessage(context, request)
  const submitted = await context.keyCalls
    .addFor(addOf(request, signedOf(request)))
    .catch(refusalOf)
  if (submitted instanceof Rejection) return refuse(context, request, submitted)
  if (submitted.outcome === 'accepted') {
    await markSubmitted(context, request)
    return {}
  }
  await withdrawApproval(context, request)
  return { transaction: submitted.transaction }
}

/** Completes the request once the hub has the key. Another signature may succeed where the hub refused this one. */
async function submitMessage(
  context: KeyRequestContext,
  request: GaslessRequest,
): Promise<SubmitResult> {
  const userFid = request.user_fid!
  const message = keyAddMessage(context, request, userFid, signedOf(request))
  const refusal = await context.keyMessages.submit(message).then(() => undefined, refusalOf)
  if (refusal) return refuse(context, request, inFieldsOfApproval(refusal))
  await whileApproved(context, request, (tx, row) =>
    tx.of(keyRequestRows).put([completed(row, userFid, context.now())]),
  )
  return {}
}

function refusalOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  throw error
}

async function refuse(
  context: KeyRequestContext,
  request: StoredKeyRequest,
  refusal: Rejection,
): Promise<SubmitResult> {
  if (refusal.code.startsWith('unavailable')) {
    context.onError(refusal, 'submit an approved key')
    return {}
  }
  if (!isPermanent(refusal)) await withdrawApproval(context, request)
  else {
    const { add_owner: owner, add_signature: signature } = signedOf(request)
    const call = { owner, key: request.key, signature, error: refusal }
    await context.storage.write('hub', (tx) => failApproved(tx, call, context.now()))
  }
  return { refusal }
}

/** Makes the request pending again. */
const withdrawApproval = (context: KeyRequestContext, request: StoredKeyRequest) =>
  whileApproved(context, request, async (tx, row) => {
    await releaseCredits(tx, row)
    await tx.of(keyRequestRows).put([approvalWithdrawn(row)])
  })

/** Records that the accounts have accepted the call. */
export const markSubmitted = (context: KeyRequestContext, request: StoredKeyRequest) =>
  whileApproved(context, request, (tx, row) => tx.of(keyRequestRows).put([{ ...row, handed: 1 }]))

/** Claims an approval that another process did not submit in time; undefined when it is no longer available. */
export async function claimApproval(
  context: KeyRequestContext,
  request: StoredKeyRequest,
): Promise<StoredKeyRequest | undefined> {
  const approved_at = context.now()
  const isOurs = await whileApproved(context, request, (tx, row) =>
    tx.of(keyRequestRows).put([{ ...row, approved_at }]),
  )
  return isOurs ? { ...request, approved_at } : undefined
}

/** Changes a request if it is still as the caller read it: approved and not submitted. Returns whether it is. */
async function whileApproved(
  { storage }: KeyRequestContext,
  { token, add_signature, approved_at }: StoredKeyRequest,
  change: (tx: Writer, row: StoredKeyRequest) => Promise<void>,
): Promise<boolean> {
  const isSame = (row: StoredKeyRequest | undefined): row is StoredKeyRequest =>
    row?.state === 'approved' &&
    row.handed === 0 &&
    row.approved_at === approved_at &&
    equalBytes(row.add_signature!, add_signature!)
  // Most requests have been completed meanwhile; reading that takes no lock.
  if (!isSame(await storage.of(keyRequestRows).byToken(token))) return false
  return storage.write('hub', async (tx) => {
    const row = await tx.of(keyRequestRows).byToken(token)
    if (!isSame(row)) return false
    await change(tx, row)
    return true
  })
}
