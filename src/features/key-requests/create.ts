import { hashMessage } from 'viem/utils'
import {
  domainsText,
  gaslessRequestDomains,
} from '../../kernel/accounts/signatures/accepted-domains.ts'
import { verifyOneOf, verifySignature } from '../../kernel/accounts/signatures/signature.ts'
import { equalBytes, fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { signedKeyRequestTypedData, typedDataDigest } from '../../kernel/protocol/crypto/eip712.ts'
import { Rejection, type RejectionHints } from '../../kernel/protocol/rejection.ts'
import { KEY_BYTES } from '../../kernel/protocol/sizes.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { KeyRequestContext } from './context.ts'
import { availableCredits, sponsoredHash } from './credits.ts'
import { type GaslessJson, gaslessColumns, keyDomainOf } from './gasless.ts'
import {
  KEPT_SECONDS,
  MAX_DEADLINE,
  MAX_REQUESTS_PER_FID,
  MAX_REQUESTS_PER_KEY,
  MAX_SIGNATURE_BYTES,
  MAX_WAIT_SECONDS,
  SPONSORSHIP_CREDITS,
  TOKEN_BYTES,
} from './limits.ts'
import { unknownRequest } from './request-store.ts'
import type { StoredKeyRequest } from './tables/key-requests.ts'
import { keyRequestRows } from './tables/key-requests.ts'

/** A request as an app sends it. Published clients may send these numbers as digit strings. */
export type NewKeyRequest = {
  readonly key: string
  readonly requestFid: number | string
  readonly deadline: number | string
  readonly signature: string
  readonly redirectUrl?: string
  readonly sponsorship?: { readonly sponsorFid: number | string; readonly signature: string }
  /** Asks for a gasless key. */
  readonly gasless?: GaslessJson
}

type Checked = Pick<
  StoredKeyRequest,
  | 'key'
  | 'key_text'
  | 'request_fid'
  | 'request_signer'
  | 'signature'
  | 'deadline'
  | 'redirect_url'
  | 'sponsor_fid'
  | 'scopes'
  | 'ttl'
>

/** Checks a request in the documented order and stores it as pending. */
export async function createKeyRequest(
  context: KeyRequestContext,
  body: NewKeyRequest,
): Promise<StoredKeyRequest> {
  const checked = await checkNew(context, body)
  const now = context.now()
  const request: StoredKeyRequest = {
    ...checked,
    token: context.randomBytes(TOKEN_BYTES),
    state: 'pending',
    created_at: now,
    forget_at: Math.min(checked.deadline, now + MAX_WAIT_SECONDS) + KEPT_SECONDS,
    user_fid: null,
    reason: null,
    error_name: null,
    approved_at: null,
    add_owner: null,
    add_nonce: null,
    add_deadline: null,
    add_signature: null,
    handed: 0,
  }
  await context.storage.write('hub', async (tx) => {
    const { request_fid, request_signer } = request
    await checkRoom(tx, request)
    // The owner of the fid may have changed since the check.
    const account = await tx.accounts.custody(request_fid)
    if (!account || !equalBytes(account.address, request_signer)) throw newCustody()
    await tx.of(keyRequestRows).put([request])
  })
  return request
}

async function checkRoom(
  { of }: Pick<Reader, 'of'>,
  { request_fid, key }: StoredKeyRequest,
): Promise<void> {
  const [ofFid, ofKey] = [MAX_REQUESTS_PER_FID, MAX_REQUESTS_PER_KEY]
  if ((await of(keyRequestRows).countOf(request_fid, ofFid)) >= ofFid) {
    const text = `fid ${request_fid} has too many requests; those that are over are forgotten after a day`
    throw new Rejection('unavailable.overloaded', text, { field: 'requestFid' })
  }
  if ((await of(keyRequestRows).countOfKey(key, ofKey)) >= ofKey) {
    const text = 'this key is asked for in too many requests; make another key'
    throw new Rejection('unavailable.overloaded', text, { field: 'key' })
  }
}

async function checkNew(context: KeyRequestContext, body: NewKeyRequest): Promise<Checked> {
  const key = readHex(body.key, 'key')
  if (key.length !== KEY_BYTES) throw invalid('key', `must be ${KEY_BYTES} bytes in hex`)
  const signature = readSignature(body.signature, 'signature')
  const requestFid = Number(body.requestFid)
  const deadline = Number(body.deadline)
  const { sponsorship, gasless } = body
  const sponsorSignature =
    sponsorship && readSignature(sponsorship.signature, 'sponsorship.signature')
  checkPayment(context, body)
  const terms = gasless ? gaslessColumns(gasless) : { scopes: null, ttl: null }

  const account = await context.accounts.custodyOf(requestFid)
  if (!account) {
    throw invalid('requestFid', `${requestFid} is not a registered fid`, 'no_registered_fid')
  }
  checkDeadline(deadline, context.now())
  await checkSignature(context, { requestFid, key, deadline }, account.address, body)
  if (sponsorship) {
    await checkSponsor(context, Number(sponsorship.sponsorFid), signature, sponsorSignature!)
  }
  return {
    key,
    key_text: body.key,
    request_fid: requestFid,
    request_signer: account.address,
    signature,
    deadline,
    redirect_url: body.redirectUrl ?? null,
    sponsor_fid: sponsorship ? Number(sponsorship.sponsorFid) : null,
    ...terms,
  }
}

/** A gasless key costs nobody anything. */
function checkPayment(
  { settings }: KeyRequestContext,
  { sponsorship, gasless }: NewKeyRequest,
): void {
  if (gasless && sponsorship) {
    throw invalid('sponsorship', 'is of no use with gasless: nobody pays for such a key')
  }
  if (!gasless && !sponsorship && settings.requireSponsor) {
    throw invalid('sponsorship', 'is missing: this server needs a sponsor who pays for the request')
  }
}

/**
 * Throws unless the owner of the app signed the request. That for a gasless key is signed for such keys, and by a plain
 * account, because the hub asks no contract.
 */
async function checkSignature(
  context: KeyRequestContext,
  request: { requestFid: number; key: Uint8Array; deadline: number },
  address: Uint8Array,
  { signature, gasless }: NewKeyRequest,
): Promise<void> {
  const domains = gasless ? gaslessRequestDomains(keyDomainOf(context)) : context.keyRequestDomains
  const verify = gasless ? verifySignature : context.verifyAsContracts
  const digests = domains.map((domain) =>
    typedDataDigest(signedKeyRequestTypedData(request, domain)),
  )
  if (await verifyOneOf(verify, address, digests, readSignature(signature, 'signature'))) return
  const whose = `${toHex(address)}, the custody address of requestFid`
  const text = `is not a SignedKeyRequest signature by ${whose}, ${domainsText(domains)}`
  throw invalid('signature', text, 'invalid_signature')
}

/** A deadline equal to the current time is valid, as in the contracts. */
function checkDeadline(deadline: number, now: number): void {
  if (deadline < now) throw invalid('deadline', 'has passed')
  if (deadline > MAX_DEADLINE) throw invalid('deadline', 'must be in Unix seconds')
}

const newCustody = () =>
  invalid(
    'signature',
    'is by an address that no longer is the custody address of requestFid',
    'custody_address_mismatch',
  )

/** The sponsor signs the bytes of the app's signature. Signing their hex text is a common mistake. */
async function checkSponsor(
  { accounts, verify, storage }: KeyRequestContext,
  sponsorFid: number,
  signed: Uint8Array,
  signature: Uint8Array,
): Promise<void> {
  const sponsor = await accounts.custodyOf(sponsorFid)
  if (!sponsor) {
    const text = `${sponsorFid} is not a registered fid`
    throw invalid('sponsorship.sponsorFid', text, 'no_registered_fid')
  }
  const digest = fromHex(hashMessage({ raw: signed }))!
  if (!(await verify(sponsor.address, digest, signature))) {
    throw invalid(
      'sponsorship.signature',
      `is not a signature by ${toHex(sponsor.address)}, the sponsor's custody address, over the bytes of signature`,
      'invalid_signature',
    )
  }
  if (await storage.of(keyRequestRows).sponsorUse(sponsorFid, sponsoredHash(signed))) {
    throw invalid('sponsorship.signature', 'has paid for another request already')
  }
  await checkCredits(storage, sponsorFid)
}

/** Throws unless a sponsor can pay for one more request. */
async function checkCredits({ of }: Pick<Reader, 'of'>, sponsorFid: number): Promise<void> {
  const available = availableCredits(await of(keyRequestRows).credit(sponsorFid))
  if (available >= SPONSORSHIP_CREDITS) return
  throw invalid(
    'sponsorship.sponsorFid',
    `${sponsorFid} has ${available} credits and needs ${SPONSORSHIP_CREDITS}`,
    'insufficient_warps',
  )
}

export function readSignature(text: string, field: string): Uint8Array {
  const bytes = readHex(text, field)
  if (bytes.length === 0 || bytes.length > MAX_SIGNATURE_BYTES) {
    throw invalid(field, `must be 1 to ${MAX_SIGNATURE_BYTES} bytes in hex`)
  }
  return bytes
}

export function readHex(text: string, field: string): Uint8Array {
  const bytes = fromHex(text)
  if (!bytes) throw invalid(field, 'must be hex, two digits a byte')
  return bytes
}

/** The bytes of a token. A malformed token is treated as unknown. */
export function readToken(text: string): Uint8Array {
  const bytes = fromHex(text)
  if (bytes?.length === TOKEN_BYTES && toHex(bytes) === text.toLowerCase()) return bytes
  throw unknownRequest()
}

function invalid(field: string, text: string, reason?: string): Rejection {
  const hints: RejectionHints = { field, ...(reason !== undefined && { reason }) }
  return new Rejection('bad_request.validation_failure', `${field} ${text}`, hints)
}
