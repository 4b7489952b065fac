import type { AddFor, UnsentTransaction } from '../../accounts/port.ts'
import { addTypedData } from '../../accounts/typed-data.ts'
import { equalBytes } from '../../protocol/bytes.ts'
import { encodeSignedKeyRequestMetadata } from '../../protocol/eip712.ts'
import { Rejection, type RejectionCode } from '../../protocol/rejection.ts'
import type { KeyRequestState, SignedAdd, StoredKeyRequest } from '../../storage/key-requests.ts'
import type { PlatformContext } from '../context.ts'
import { failApproved, whyReverted } from './account-events.ts'
import { unknownRequest } from './create.ts'
import { releaseCredits, reserveCredits } from './credits.ts'
import { denied, failed } from './decide.ts'
import {
  KEPT_SECONDS,
  KEY_TYPE,
  LATE_SECONDS,
  MAX_APPROVAL_SECONDS,
  METADATA_TYPE,
} from './rules.ts'

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
  readonly transaction?: UnsentTransaction | undefined
}

export async function getRequest(
  { storage }: Pick<PlatformContext, 'storage'>,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  const request = await storage.keyRequests.byToken(token)
  if (!request) throw unknownRequest()
  return request
}

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
 * Takes a user's approval and hands it on to the accounts. A signature that is not good changes nothing;
 * what the accounts would refuse for good fails the request.
 */
export async function approve(context: PlatformContext, approval: Approval): Promise<Approved> {
  const request = await getRequest(context, approval.token)
  if (isRepeated(request, approval)) return { request }
  const signed = await prepare(context, request, approval).catch(async (error) => {
    throw await failedFor(context, request, error)
  })
  const approved = await change(context, request.token, ['pending'], async (tx, row) => {
    if (!(await reserveCredits(tx, row))) return failed(row, context.now(), NO_CREDIT)
    return {
      ...row,
      ...signed,
      state: 'approved',
      user_fid: approval.userFid,
      // It can take a while until the key is there, and longer than the request would have waited.
      forget_at: Math.max(row.forget_at, signed.add_deadline + LATE_SECONDS + KEPT_SECONDS),
    }
  })
  if (approved.state === 'failed') throw failure(approved)
  const transaction = await handOn(context, approved)
  return { request: await getRequest(context, request.token), transaction }
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
export function checkOpen({ state, deadline }: StoredKeyRequest, now: number): void {
  if (state !== 'pending') {
    throw new Rejection('bad_request.conflict', `the request is ${state} already`, {
      field: 'token',
    })
  }
  if (deadline < now) {
    throw new Rejection('bad_request', 'the deadline of the request has passed', { field: 'token' })
  }
}

/** What only ends with another request: the key was used, or the app's own signature does not count. */
const FATAL: readonly RejectionCode[] = ['InvalidState', 'InvalidMetadata']

/** Fails the request if the error is for good, and says what to answer. */
async function failedFor(
  context: PlatformContext,
  request: StoredKeyRequest,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Rejection)) return error
  const isFatal = error === NEW_OWNER || FATAL.includes(error.code)
  if (!isFatal) return inWords(error)
  const why = error === NEW_OWNER ? { reason: NEW_OWNER.reason! } : whyReverted(error)
  const row = await change(context, request.token, ['pending'], async (_tx, pending) =>
    failed(pending, context.now(), why),
  )
  return failure(row, error.message)
}

/** A refusal by the accounts, as a caller of the platform is told it. */
function inWords(error: Rejection): Rejection {
  const isContracts = /^[A-Z][a-z]/.test(error.code)
  if (!isContracts) return error
  const field = error.code === 'SignatureExpired' ? 'deadline' : 'signature'
  return new Rejection(error.code, error.message, {
    field,
    reason: 'transaction_would_revert',
    data: { revertError: { name: error.code } },
  })
}

function failure({ reason, error_name }: StoredKeyRequest, message?: string): Rejection {
  return new Rejection('bad_request.conflict', message ?? `the request has failed: ${reason}`, {
    reason: reason ?? 'not_available',
    ...(error_name !== null && { data: { revertError: { name: error_name } } }),
  })
}

type Tx = Parameters<Parameters<PlatformContext['storage']['write']>[1]>[0]

/** Replaces a request that is in one of these states, under the lock of accounts. */
async function change(
  { storage }: PlatformContext,
  token: Uint8Array,
  from: readonly KeyRequestState[],
  decide: (tx: Tx, request: StoredKeyRequest) => Promise<StoredKeyRequest>,
): Promise<StoredKeyRequest> {
  return storage.write('hub', async (tx) => {
    const request = await tx.keyRequests.byToken(token)
    if (!request) throw unknownRequest()
    if (!from.includes(request.state)) {
      const text = `the request is ${request.state} already`
      throw new Rejection('bad_request.conflict', text, { field: 'token' })
    }
    const changed = await decide(tx, request)
    await tx.keyRequests.put([changed])
    return changed
  })
}

/**
 * Gives an approved call to the accounts. Where nobody sends it, the request waits again, and what the
 * user has to send is the answer. When the accounts cannot be reached now, it is tried again later.
 */
export async function handOn(
  context: PlatformContext,
  request: StoredKeyRequest,
): Promise<UnsentTransaction | undefined> {
  const signed = signedOf(request)
  try {
    const handed = await context.keyCalls.addFor(addOf(request, signed))
    if (handed.outcome === 'accepted') {
      await markHanded(context, request.token)
      return undefined
    }
    await change(context, request.token, ['approved'], async (tx, row) => {
      await releaseCredits(tx, row)
      return { ...row, ...UNSIGNED, state: 'pending', user_fid: null }
    })
    return handed.transaction
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    if (error.code.startsWith('unavailable')) {
      context.onError(error, 'hand on an approved key')
      return undefined
    }
    const { add_owner: owner } = signed
    await context.storage.write('hub', (tx) =>
      failApproved(tx, { owner, key: request.key, error }, context.now()),
    )
    return undefined
  }
}

const UNSIGNED = {
  add_owner: null,
  add_nonce: null,
  add_deadline: null,
  add_signature: null,
} as const

export const signedOf = (request: StoredKeyRequest): SignedAdd => ({
  add_owner: request.add_owner!,
  add_nonce: request.add_nonce!,
  add_deadline: request.add_deadline!,
  add_signature: request.add_signature!,
})

/** Unless the key is there already, remembers that the accounts have the call. */
export async function markHanded({ storage }: PlatformContext, token: Uint8Array): Promise<void> {
  const now = await storage.keyRequests.byToken(token)
  if (now?.state !== 'approved') return
  await storage.write('hub', async (tx) => {
    const request = await tx.keyRequests.byToken(token)
    if (request?.state === 'approved') await tx.keyRequests.put([{ ...request, handed: 1 }])
  })
}

/** Ends a request that its user does not want. */
export async function deny(context: PlatformContext, token: Uint8Array): Promise<StoredKeyRequest> {
  const request = await getRequest(context, token)
  if (request.state === 'denied') return request
  return change(context, token, ['pending'], async (_tx, row) => denied(row, context.now()))
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
