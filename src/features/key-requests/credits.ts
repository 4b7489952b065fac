import { keccak_256 } from '@noble/hashes/sha3.js'
import { unknownFid } from '../../kernel/platform/unknown.ts'
import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { KeyRequestContext } from './context.ts'
import { SPONSORSHIP_CREDITS } from './limits.ts'
import type { Credit, StoredKeyRequest } from './tables/key-requests.ts'
import { keyRequestRows } from './tables/key-requests.ts'

// A sponsor's credits are reserved when the user approves and paid when the key is added. Every change happens
// under the lock of accounts, like changes of keys.

export const MAX_CREDITS = 1_000_000_000

/** The part of a balance that can still be spent. */
export const availableCredits = (credit: Credit | undefined): number =>
  credit ? credit.balance - credit.reserved : 0

/** Sponsor signatures are stored by the hash of the signed bytes: the app's signature. */
export const sponsoredHash = (appSignature: Uint8Array): Uint8Array => keccak_256(appSignature)

/**
 * Reserves the cost of a sponsored request. Returns false when the sponsor has too few credits, or when the sponsor's
 * signature has paid for another request: each (sponsor, signature) pays once.
 */
export async function reserveCredits(tx: Writer, request: StoredKeyRequest): Promise<boolean> {
  const { sponsor_fid, token, deadline } = request
  if (sponsor_fid === null) return true
  const signature = sponsoredHash(request.signature)
  const use = await tx.of(keyRequestRows).sponsorUse(sponsor_fid, signature)
  if (use && !equalBytes(use.token, token)) return false
  const credit = await tx.of(keyRequestRows).credit(sponsor_fid)
  if (availableCredits(credit) < SPONSORSHIP_CREDITS) return false
  await tx
    .of(keyRequestRows)
    .putCredit({ ...credit!, reserved: credit!.reserved + SPONSORSHIP_CREDITS })
  if (!use)
    await tx
      .of(keyRequestRows)
      .addSponsorUse({ sponsor_fid, signature, token, expires_at: deadline })
  return true
}

/** Releases the reservation of a failed request; the sponsor's signature can be used again. */
export async function releaseCredits(tx: Writer, request: StoredKeyRequest) {
  const { sponsor_fid } = request
  if (sponsor_fid === null) return
  await unreserveCredits(tx, sponsor_fid)
  await tx.of(keyRequestRows).removeSponsorUse({
    sponsor_fid,
    signature: sponsoredHash(request.signature),
  })
}

async function unreserveCredits(tx: Writer, sponsor_fid: number) {
  const credit = (await tx.of(keyRequestRows).credit(sponsor_fid))!
  await tx
    .of(keyRequestRows)
    .putCredit({ ...credit, reserved: credit.reserved - SPONSORSHIP_CREDITS })
}

/** Pays with the reserved credits. */
export async function payCredits(tx: Writer, request: StoredKeyRequest, now: number) {
  if (request.sponsor_fid === null) return
  await unreserveCredits(tx, request.sponsor_fid)
  const reason = `key for FID ${request.user_fid}`
  await changeBalance(tx, request.sponsor_fid, -SPONSORSHIP_CREDITS, reason, now)
}

/** Refunds and reserves again what was paid for a key that a reorg removed. */
export async function unpayCredits(tx: Writer, request: StoredKeyRequest, now: number) {
  if (request.sponsor_fid === null) return
  const reason = `key for FID ${request.user_fid} is no longer on the chain`
  const { balance } = (await tx.of(keyRequestRows).credit(request.sponsor_fid))!
  const amount = Math.min(SPONSORSHIP_CREDITS, MAX_CREDITS - balance)
  await changeBalance(tx, request.sponsor_fid, amount, reason, now)
  await reserveCredits(tx, request)
}

/** Grants credits to a sponsor; a negative amount removes credits that are not reserved. */
export const grantCredits = (
  { storage, now }: Pick<KeyRequestContext, 'storage' | 'now'>,
  { fid, amount, reason }: { fid: number; amount: number; reason: string },
): Promise<Credit> =>
  storage.write('hub', async (tx) => {
    if (!(await tx.accounts.custody(fid))) {
      throw unknownFid(fid, 'fid')
    }
    return changeBalance(tx, fid, amount, reason, now())
  })

async function changeBalance(
  tx: Writer,
  fid: number,
  amount: number,
  reason: string,
  created_at: number,
): Promise<Credit> {
  const { balance, reserved } = (await tx.of(keyRequestRows).credit(fid)) ?? {
    balance: 0,
    reserved: 0,
  }
  const changed = { fid, balance: balance + amount, reserved }
  if (changed.balance < reserved || changed.balance > MAX_CREDITS) {
    const text = `FID ${fid} has ${balance} credits, ${reserved} of them reserved; it can have 0 to ${MAX_CREDITS}`
    throw new Rejection('bad_request.validation_failure', text, { field: 'amount' })
  }
  const [newest] = await tx.of(keyRequestRows).creditEntries(fid, undefined, 1)
  const number = (newest?.number ?? 0) + 1
  await tx.of(keyRequestRows).putCredit(changed)
  await tx.of(keyRequestRows).addCreditEntry({ fid, number, amount, reason, created_at })
  return changed
}
