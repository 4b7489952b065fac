import type { Job } from '../../kernel/jobs/job.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { failApproved } from './account-events.ts'
import type { KeyRequestContext } from './context.ts'
import { isGasless, settled } from './gasless.ts'
import { LATE_SECONDS, SUBMIT_CLAIM_SECONDS } from './limits.ts'
import { claimApproval, markSubmitted, signedOf, submitApproval } from './submit-approval.ts'
import type { StoredKeyRequest } from './tables/key-requests.ts'
import { keyRequestRows } from './tables/key-requests.ts'

const MAINTENANCE_INTERVAL_MS = 30_000
const REQUESTS_PER_READ = 500
const DELETED_PER_TRANSACTION = 500

/** Resumes interrupted approvals and deletes expired requests. */
export const maintenanceJob = (context: KeyRequestContext): Job => ({
  name: 'key requests',
  scope: 'leader',
  everyMs: MAINTENANCE_INTERVAL_MS,
  run: () => runMaintenance(context),
})

export async function runMaintenance(context: KeyRequestContext): Promise<void> {
  await resumeApprovals(context)
  await deleteExpired(context)
}

async function resumeApprovals(context: KeyRequestContext): Promise<void> {
  const keyRequests = context.storage.of(keyRequestRows)
  let last: Uint8Array | undefined
  for (;;) {
    const approved = await keyRequests.inState('approved', last, REQUESTS_PER_READ)
    for (const request of approved) {
      // A request that fails must not block the others.
      await resumeApproval(context, request).catch((error) =>
        context.onError(error, 'resume an approval'),
      )
    }
    if (approved.length < REQUESTS_PER_READ) return
    last = approved.at(-1)!.token
  }
}

/** A call whose nonce is used was submitted, or can never be: its request expires. */
async function resumeApproval(context: KeyRequestContext, found: StoredKeyRequest): Promise<void> {
  const [request] = await settled(context, [found])
  if (request?.state !== 'approved') return
  const { add_owner, add_nonce, add_deadline } = signedOf(request)
  if (context.now() > add_deadline + LATE_SECONDS) return giveUp(context, request)
  const isClaimed = context.now() < request.approved_at! + SUBMIT_CLAIM_SECONDS
  if (request.handed === 1 || isClaimed) return
  const ours = await claimApproval(context, request)
  if (!ours) return
  // A hub refuses a message whose nonce is used, and the user is asked again.
  const isUsed =
    !isGasless(ours) && (await context.keyCalls.nonce('keyGateway', add_owner)) > add_nonce
  await (isUsed ? markSubmitted(context, ours) : submitApproval(context, ours))
}

const TOO_LATE = new Rejection('SignatureExpired', 'the key was not added in time')

async function giveUp(
  { storage, now }: KeyRequestContext,
  request: StoredKeyRequest,
): Promise<void> {
  const { add_owner: owner, add_signature: signature } = signedOf(request)
  const call = { owner, key: request.key, signature, error: TOO_LATE }
  await storage.write('hub', (tx) => failApproved(tx, call, now()))
}

async function deleteExpired({ storage, now }: KeyRequestContext): Promise<void> {
  for (let count = DELETED_PER_TRANSACTION; count === DELETED_PER_TRANSACTION; ) {
    count = await storage.write('hub', (tx) =>
      tx.of(keyRequestRows).forget(now(), DELETED_PER_TRANSACTION),
    )
  }
}
