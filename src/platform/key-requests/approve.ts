import type { UserTransaction } from '../../accounts/port.ts'
import { addTypedData } from '../../accounts/typed-data.ts'
import { equalBytes } from '../../protocol/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { SignedAdd, StoredKeyRequest } from '../../storage/key-requests.ts'
import type { PlatformContext } from '../context.ts'
import { whyReverted } from './account-events.ts'
import { reserveCredits } from './credits.ts'
import { denied, failed } from './key-request-states.ts'
import {
  KEPT_SECONDS,
  KEY_TYPE,
  LATE_SECONDS,
  MAX_APPROVAL_SECONDS,
  METADATA_TYPE,
} from './limits.ts'
import { failure, inWords } from './refusals.ts'
import { changeRequest, getRequest } from './request-store.ts'
import { addOf, isForGood, metadataOf, submitApproval } from './submit-approval.ts'

/** What a user has signed: the call that adds the key, whose other parts are in the request. */
export type Approval = {
  readonly token: Uint8Array
  readonly userFid: number
  /** Unix seconds. */
  readonly deadline: number
  readonly signature: Uint8Array
}

export type Approved = {
  readonly request: StoredKeyRequest
  /** What the user has to send, where nobody does it for them. */
  readonly transaction?: UserTransaction | undefined
}

/** Throws what an approval would be refused with, and changes nothing. */
export async function simulateApproval(
  context: PlatformContext,
  approval: Approval,
): Promise<StoredKeyRequest> {
  const request = await getRequest(context, approval.token)
  await prepare(context, request, approval)
  return request
}

/**
 * Takes a user's approval and hands it on to the accounts. What they refuse for good fails the request;
 * after any other refusal, as of a signature, it waits as before.
 */
export async function approve(context: PlatformContext, approval: Approval): Promise<Approved> {
  const request = await getRequest(context, approval.token)
  if (isRepeated(request, approval)) return { request }
  const signed = await prepare(context, request, approval).catch(async (error) => {
    throw await failedFor(context, request, error)
  })
  const approved = await changeRequest(context, request.token, ['pending'], async (tx, row) => {
    if (!(await reserveCredits(tx, row))) return failed(row, context.now(), NO_CREDIT)
    return {
      ...row,
      ...signed,
      state: 'approved',
      user_fid: approval.userFid,
      approved_at: context.now(),
      // It can take a while until the key is there, and longer than the request would have waited.
      forget_at: Math.max(row.forget_at, signed.add_deadline + LATE_SECONDS + KEPT_SECONDS),
    }
  })
  if (approved.state === 'failed') throw failure(approved)
  const { transaction, refusal } = await submitApproval(context, approved)
  const handed = await getRequest(context, request.token)
  if (refusal && handed.state === 'failed') throw failure(handed, refusal.message)
  if (refusal && handed.state === 'pending') throw inWords(refusal)
  return { request: handed, transaction }
}

const NO_CREDIT = { reason: 'insufficient_warps' }

/** The same approval again, as clients send it that did not hear the answer. */
const isRepeated = (request: StoredKeyRequest, { userFid, signature }: Approval) =>
  (request.state === 'approved' || request.state === 'completed') &&
  request.user_fid === userFid &&
  request.add_signature !== null &&
  equalBytes(request.add_signature, signature)

async function prepare(
  context: PlatformContext,
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
    add_nonce: await context.keyCalls.nonce('keyGateway', user.address),
    add_deadline: deadline,
    add_signature: signature,
  }
  await context.keyCalls.simulateAddFor(addOf(request, signed))
  return signed
}

const NEW_OWNER = new Rejection('bad_request', 'the app that asks has another owner by now', {
  reason: 'custody_address_mismatch',
})

/** Throws unless the request still waits for a user. */
function checkOpen({ state, deadline }: StoredKeyRequest, now: number): void {
  if (state !== 'pending') {
    throw new Rejection('bad_request.conflict', `the request is ${state} already`, {
      field: 'token',
    })
  }
  if (deadline < now) {
    throw new Rejection('bad_request', 'the deadline of the request has passed', { field: 'token' })
  }
}

/** Fails the request if the error is for good, and says what to answer. */
async function failedFor(
  context: PlatformContext,
  request: StoredKeyRequest,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Rejection)) return error
  if (error !== NEW_OWNER && !isForGood(error)) return inWords(error)
  const why = error === NEW_OWNER ? { reason: NEW_OWNER.reason! } : whyReverted(error)
  const row = await changeRequest(context, request.token, ['pending'], async (_tx, pending) =>
    failed(pending, context.now(), why),
  )
  return failure(row, error.message)
}

/** Ends a request that its user does not want. */
export async function deny(context: PlatformContext, token: Uint8Array): Promise<StoredKeyRequest> {
  const request = await getRequest(context, token)
  if (request.state === 'denied') return request
  return changeRequest(context, token, ['pending'], async (_tx, row) => denied(row, context.now()))
}

/** What the user signs to add the key. */
export const approvalTypedData = (
  { domains }: Pick<PlatformContext, 'domains'>,
  request: StoredKeyRequest,
  { owner, nonce, deadline }: { owner: Uint8Array; nonce: number; deadline: number },
) =>
  addTypedData(domains, {
    owner,
    keyType: KEY_TYPE,
    key: request.key,
    metadataType: METADATA_TYPE,
    metadata: metadataOf(request),
    nonce,
    deadline: BigInt(deadline),
  })
