import type { UserTransaction } from '../../kernel/accounts/port.ts'
import { addTypedData } from '../../kernel/accounts/signatures/typed-data.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import type { TypedData } from '../../kernel/protocol/crypto/eip712.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { whyReverted } from './account-events.ts'
import type { KeyRequestContext } from './context.ts'
import { reserveCredits } from './credits.ts'
import {
  gaslessTypedData,
  inFieldsOfApproval,
  isGasless,
  keyAddMessage,
  nextKeyNonce,
} from './gasless.ts'
import { approved, denied, failed } from './key-request-states.ts'
import { KEY_TYPE, MAX_APPROVAL_SECONDS, METADATA_TYPE } from './limits.ts'
import { metadataOf } from './metadata.ts'
import { checkDeadline, failure, inWords } from './refusals.ts'
import { changeRequest, getRequest, getSettled } from './request-store.ts'
import { addOf, isPermanent, submitApproval } from './submit-approval.ts'
import { isExpired, type SignedAdd, type StoredKeyRequest } from './tables/key-requests.ts'

/** A user's signature of the call that adds the key. The other parts of the call are in the request. */
export type Approval = {
  readonly token: Uint8Array
  readonly userFid: number
  /** Unix seconds. */
  readonly deadline: number
  readonly signature: Uint8Array
}

type Account = { readonly fid: number; readonly address: Uint8Array }

export type Approved = {
  readonly request: StoredKeyRequest
  /** The transaction that the user must send, when this server sends none. */
  readonly transaction?: UserTransaction | undefined
}

/** Throws the error that an approval would cause. Changes nothing. */
export async function simulateApproval(
  context: KeyRequestContext,
  approval: Approval,
): Promise<StoredKeyRequest> {
  const request = await getRequest(context, approval.token)
  await prepare(context, request, approval)
  return request
}

/**
 * Stores a user's approval and submits the call to the accounts. A permanent error fails the request; after any
 * other rejection, as of a bad signature, it is pending as before.
 */
export async function approve(context: KeyRequestContext, approval: Approval): Promise<Approved> {
  const request = await getSettled(context, approval.token)
  if (isRepeated(request, approval)) return { request }
  const signed = await prepare(context, request, approval).catch(async (error) => {
    throw await failedFor(context, request, error)
  })
  const stored = await changeRequest(context, request.token, 'approve', async (tx, row) => {
    if (!(await reserveCredits(tx, row))) return failed(row, context.now(), NO_CREDIT)
    return approved(row, { userFid: approval.userFid, signed }, context.now())
  })
  if (stored.state === 'failed') throw failure(stored)
  const { transaction, refusal } = await submitApproval(context, stored)
  const submitted = await getSettled(context, request.token)
  if (refusal && submitted.state === 'failed') throw failure(submitted, refusal.message)
  if (refusal && submitted.state === 'pending') throw inWords(refusal)
  return { request: submitted, transaction }
}

const NO_CREDIT = { reason: 'insufficient_warps' }

/** Whether it is the same approval again. Clients repeat a request whose response was lost. */
const isRepeated = (request: StoredKeyRequest, { userFid, signature }: Approval) =>
  (request.state === 'approved' || request.state === 'completed') &&
  request.user_fid === userFid &&
  request.add_signature !== null &&
  equalBytes(request.add_signature, signature)

async function prepare(
  context: KeyRequestContext,
  request: StoredKeyRequest,
  { userFid, deadline, signature }: Approval,
): Promise<SignedAdd> {
  checkOpen(request, context.now())
  if (deadline > context.now() + MAX_APPROVAL_SECONDS) {
    const text = `deadline must be at most ${MAX_APPROVAL_SECONDS} s ahead`
    throw new Rejection('bad_request.validation_failure', text, { field: 'deadline' })
  }
  const user = await context.accounts.custodyOf(userFid)
  if (!user) {
    throw new Rejection('bad_request.validation_failure', `${userFid} is not a registered fid`, {
      field: 'userFid',
      reason: 'no_registered_fid',
    })
  }
  const requester = await context.accounts.custodyOf(request.request_fid)
  if (!requester || !equalBytes(requester.address, request.request_signer)) throw NEW_OWNER
  const signed: SignedAdd = {
    add_owner: user.address,
    add_nonce: await nonceFor(context, request, user),
    add_deadline: deadline,
    add_signature: signature,
  }
  await checkSigned(context, request, userFid, signed)
  return signed
}

/** The nonce that the signature of an approval has to name. */
const nonceFor = (
  { keyCalls, storage }: KeyRequestContext,
  request: StoredKeyRequest,
  { fid, address }: Account,
): Promise<number> =>
  isGasless(request) ? nextKeyNonce(storage, fid) : keyCalls.nonce('keyGateway', address)

/** Throws the Rejection with which the accounts, or the hub, would refuse the approval. */
async function checkSigned(
  context: KeyRequestContext,
  request: StoredKeyRequest,
  userFid: number,
  signed: SignedAdd,
): Promise<void> {
  if (!isGasless(request)) return context.keyCalls.simulateAddFor(addOf(request, signed))
  checkDeadline(signed.add_deadline, context.now())
  const message = keyAddMessage(context, request, userFid, signed)
  await context.keyMessages.check(message).catch((error) => {
    throw error instanceof Rejection ? inFieldsOfApproval(error) : error
  })
}

const NEW_OWNER = new Rejection('bad_request', 'the app that asks has another owner by now', {
  reason: 'custody_address_mismatch',
})

/** Throws unless the request is pending and its deadline has not passed. */
function checkOpen({ state, deadline }: StoredKeyRequest, now: number): void {
  if (state !== 'pending') {
    throw new Rejection('bad_request.conflict', `the request is ${state} already`, {
      field: 'token',
    })
  }
  if (isExpired({ state, deadline }, now)) {
    const hints = { field: 'token', reason: 'expired' }
    throw new Rejection('bad_request', 'the deadline of the request has passed', hints)
  }
}

/** Fails the request if the error is permanent. Returns the error for the caller. */
async function failedFor(
  context: KeyRequestContext,
  request: StoredKeyRequest,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Rejection)) return error
  if (error !== NEW_OWNER && !isPermanent(error)) return inWords(error)
  const why = error === NEW_OWNER ? { reason: NEW_OWNER.reason! } : whyReverted(error)
  const row = await changeRequest(context, request.token, 'fail', async (_tx, pending) =>
    failed(pending, context.now(), why),
  )
  return failure(row, error.message)
}

/** Denies a request on behalf of its user. */
export async function deny(
  context: KeyRequestContext,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  const request = await getRequest(context, token)
  if (request.state === 'denied') return request
  return changeRequest(context, token, 'deny', async (_tx, row) => {
    checkOpen(row, context.now())
    return denied(row, context.now())
  })
}

/** The typed data that the user signs to add the key, with a deadline in Unix seconds. */
export async function approvalTypedData(
  context: KeyRequestContext,
  request: StoredKeyRequest,
  user: Account,
  deadline: number,
): Promise<TypedData> {
  const nonce = await nonceFor(context, request, user)
  if (isGasless(request)) {
    return gaslessTypedData(context, request, { fid: user.fid, nonce, deadline })
  }
  return addTypedData(context.domains, {
    owner: user.address,
    keyType: KEY_TYPE,
    key: request.key,
    metadataType: METADATA_TYPE,
    metadata: metadataOf(request),
    nonce,
    deadline: BigInt(deadline),
  })
}
