import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import {
  IdRegisterEventType,
  type OnChainEvent,
  SignerEventType,
} from '../../kernel/protocol/wire/onchain_event_pb.js'
import type { Writer } from '../../kernel/storage/storage.ts'
import { payCredits, releaseCredits, reserveCredits, unpayCredits } from './credits.ts'
import { type AddedKey, completed, failed, isFulfilledBy, reopened } from './key-request-states.ts'
import { KEPT_SECONDS } from './limits.ts'
import type { StoredKeyRequest } from './tables/key-requests.ts'
import { keyRequestRows } from './tables/key-requests.ts'

// Updates requests when accounts change, in the transaction of the change: when a request is completed, its key is
// already active.

/** Completes requests whose key was added and fails requests of apps whose fid has a new owner. */
export async function followAccounts(
  tx: Writer,
  events: readonly OnChainEvent[],
  now: number,
): Promise<void> {
  await completeRequests(tx, events.flatMap(addedKey), now)
  await failRequestsOfOthers(tx, events.flatMap(newOwner), now)
}

async function completeRequests(tx: Writer, added: readonly AddedKey[], now: number) {
  if (added.length === 0) return
  const requests = await tx.of(keyRequestRows).byKeys(distinct(added.map(({ key }) => key)))
  const changed: StoredKeyRequest[] = []
  const paid = new Set<AddedKey>()
  for (const request of requests) {
    const by = added.find((one) => isFulfilledBy(request, one))
    if (!by) continue
    const done = completed(request, by.fid, now)
    changed.push(done)
    // No credits are reserved when another sender added the key, and a key is paid for once.
    if (request.state !== 'approved') continue
    await (paid.has(by) ? releaseCredits(tx, request) : payCredits(tx, done, now))
    paid.add(by)
  }
  await tx.of(keyRequestRows).put(changed)
}

/** Reopens completed requests whose key was removed by a reorg. Apps must not rely on such a key. */
export async function reopenRequests(
  tx: Writer,
  rolledBack: readonly OnChainEvent[],
  now: number,
): Promise<void> {
  const removed = rolledBack.flatMap(addedKey)
  if (removed.length === 0) return
  const requests = await tx.of(keyRequestRows).byKeys(distinct(removed.map(({ key }) => key)))
  const changed: StoredKeyRequest[] = []
  const unpaid = new Set<AddedKey>()
  for (const request of requests) {
    const by = removed.find(
      ({ fid, key }) => fid === request.user_fid && equalBytes(key, request.key),
    )
    if (!by || request.state !== 'completed') continue
    changed.push(reopened(request, now))
    if (request.add_signature === null) continue
    // Exactly one request for the key was paid for.
    await (unpaid.has(by) ? reserveCredits(tx, request) : unpayCredits(tx, request, now))
    unpaid.add(by)
  }
  await tx.of(keyRequestRows).put(changed)
}

type Owner = { readonly fid: number; readonly address: Uint8Array }

/** The contracts require the signature of the app's current owner, so these requests can no longer be approved. */
async function failRequestsOfOthers(tx: Writer, owners: readonly Owner[], now: number) {
  if (owners.length === 0) return
  const reason = 'custody_address_mismatch'
  const forget_at = now + KEPT_SECONDS
  await tx
    .of(keyRequestRows)
    .failOfOthers(owners.map(({ fid, address }) => ({ fid, address, reason, forget_at })))
}

export type RefusedCall = {
  readonly owner: Uint8Array
  readonly key: Uint8Array
  readonly error: Rejection
  /** Restricts it to the approval with this signature; else all approvals of the owner for the key fail. */
  readonly signature?: Uint8Array
}

/** Fails the approved requests of a call that the accounts have permanently rejected. */
export async function failApproved(
  tx: Writer,
  { owner, key, error, signature }: RefusedCall,
  now: number,
): Promise<void> {
  const requests = await tx.of(keyRequestRows).byKeys([key])
  for (const request of requests) {
    const { state, add_owner, add_signature } = request
    if (state !== 'approved' || !add_owner || !equalBytes(add_owner, owner)) continue
    if (signature && !equalBytes(add_signature!, signature)) continue
    await releaseCredits(tx, request)
    await tx.of(keyRequestRows).put([failed(request, now, whyReverted(error))])
  }
}

/** An error of the contracts as the platform's failure reason. */
export const whyReverted = ({ code }: Rejection) => ({
  reason: 'transaction_would_revert',
  errorName: code,
})

function addedKey({ fid, body }: OnChainEvent): AddedKey[] {
  if (body.case !== 'signerEventBody') return []
  const { eventType, key, metadata } = body.value
  return eventType === SignerEventType.ADD ? [{ fid: Number(fid), key, metadata }] : []
}

function newOwner({ fid, body }: OnChainEvent): Owner[] {
  if (body.case !== 'idRegisterEventBody') return []
  const { eventType, to } = body.value
  if (eventType === IdRegisterEventType.CHANGE_RECOVERY) return []
  return [{ fid: Number(fid), address: to }]
}

const distinct = (keys: readonly Uint8Array[]): Uint8Array[] => [
  ...new Map(keys.map((key) => [Buffer.from(key).toString('hex'), key])).values(),
]
