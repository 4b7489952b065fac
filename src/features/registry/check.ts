import { isAddress } from 'viem/utils'
import type { Accounts } from '../../kernel/accounts/port.ts'
import { type VerifySignature, verifyOneOf } from '../../kernel/accounts/signatures/signature.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { TypedDataDomain } from '../../kernel/protocol/crypto/account-domains.ts'
import {
  nameTransferTypedData,
  typedDataDigest,
  usernameProofTypedData,
} from '../../kernel/protocol/crypto/eip712.ts'
import { checkFname } from '../../kernel/protocol/names.ts'
import { type RegistryError, Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import { acceptedStructs, type ClaimStruct, kindOfChange } from './claims.ts'
import type { ClaimsPolicy } from './settings.ts'
import type { NameRequest } from './transfer-rules.ts'

// Checks of a transfer request that need no names: who requests it, for which fid, and the signature. In
// the order of the deployed registry.

/** A request body as received. */
export type TransferBody = Readonly<
  Record<'name' | 'from' | 'to' | 'fid' | 'owner' | 'timestamp' | 'signature', unknown>
>

export type CheckedRequest = NameRequest & {
  readonly actingFid: number
  /** The required signer, 20 bytes. */
  readonly signer: Uint8Array
  /** The accepted structs, of which one must be signed. */
  readonly accepted: readonly ClaimStruct[]
  /** The digests of those, in the same order. */
  readonly digests: readonly Uint8Array[]
  readonly signature: Uint8Array
  /** The digest of the claim to the name, which the registry signs. */
  readonly claimDigest: Uint8Array
}

export type Authorities = {
  readonly accounts: Pick<Accounts, 'fidOf'>
  readonly admins: ReadonlyMap<number, Uint8Array>
  readonly isReserved: (name: string) => boolean
  /** The domain of NameTransfer. */
  readonly transferDomain: TypedDataDomain
  readonly claims: ClaimsPolicy
}

/** Checks all but the signature and the form of the name, which `checkSignature` and `checkName` do. */
export async function checkRequest(
  body: TransferBody,
  authorities: Authorities,
): Promise<CheckedRequest> {
  const { from, to, fid } = readFids(body)
  const admin = authorities.admins.get(fid)
  const actingFid = admin ? fid : actingFidOf(from, to)
  if (!admin && fid !== 0 && fid !== actingFid) {
    if (actingFid === undefined) throw missing('UNAUTHORIZED', from)
    throw refused('UNAUTHORIZED', `fid ${fid} may not ask for this, fid ${actingFid} may`, 'fid')
  }
  const owner = readOwner(body.owner)
  if (from === undefined || to === undefined || actingFid === undefined) {
    throw missing(admin ? 'UNAUTHORIZED' : 'INVALID_FID_OWNER', from)
  }
  if (!admin) {
    await checkOwner(authorities, owner, actingFid)
    checkReserved(authorities, body.name)
  }
  const signature = readSignature(body.signature)
  const claim = { name: readName(body.name), timestamp: readTimestamp(body.timestamp), owner }
  const claimDigest = typedDataDigest(usernameProofTypedData(claim))
  const change = { ...claim, from, to }
  const accepted = acceptedStructs(kindOfChange(change), authorities.claims)
  const digests = accepted.map((struct) =>
    struct === 'UserNameProof'
      ? claimDigest
      : typedDataDigest(nameTransferTypedData(change, authorities.transferDomain)),
  )
  const who = { byAdmin: admin !== undefined, actingFid, signer: admin ?? owner }
  return { ...change, ...who, signature, accepted, digests, claimDigest }
}

export async function checkSignature(
  { signer, signature, accepted, digests }: CheckedRequest,
  verify: VerifySignature,
): Promise<void> {
  if (await verifyOneOf(verify, signer, digests, signature)) return
  const what = accepted.map((struct) => CLAIM_TEXTS[struct]).join(' or ')
  const text = `not ${toHex(signer)}'s signature of ${what}; GET /domains shows what is accepted`
  throw refused('INVALID_SIGNATURE', text, 'signature')
}

const CLAIM_TEXTS: Readonly<Record<ClaimStruct, string>> = {
  UserNameProof: 'UserNameProof(name, timestamp, owner)',
  NameTransfer: 'NameTransfer(name, from, to, timestamp)',
}

/** Of `from` and `to` the one that the body does not have. */
function missing(code: RegistryError, from: number | undefined): Rejection {
  const field = from === undefined ? 'from' : 'to'
  return refused(code, `${field} is missing: it has to be a fid, or 0 for none`, field)
}

/** The receiving fid acts in a registration, the giving fid in a move or release. */
function actingFidOf(from: number | undefined, to: number | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined
  return from === 0 ? to : from
}

/** `fid` is 0 where the body has none. */
function readFids(body: TransferBody) {
  const read = (field: 'from' | 'to' | 'fid'): number | undefined => {
    const value = body[field] ?? undefined
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FID) {
      return value
    }
    throw refused('UNAUTHORIZED', `${field} has to be a whole number from 0 to ${MAX_FID}`, field)
  }
  const fids = { from: read('from'), to: read('to'), fid: read('fid') ?? 0 }
  if (fids.from !== undefined && fids.from === fids.to) {
    throw refused('UNAUTHORIZED', 'from and to have to be different fids', 'to')
  }
  return fids
}

function readOwner(value: unknown): Uint8Array {
  // An address in mixed case must have a valid EIP-55 checksum, which detects typing errors.
  if (typeof value === 'string' && isAddress(value)) return fromHex(value)!
  const text = 'owner has to be an address: 0x and 40 hex digits, lower-case or with their checksum'
  throw refused('INVALID_FID_OWNER', text, 'owner')
}

async function checkOwner({ accounts }: Authorities, owner: Uint8Array, fid: number) {
  const held = await accounts.fidOf(owner)
  if (held === fid) return
  const what = held === undefined ? 'holds no fid' : `holds fid ${held}`
  throw refused('INVALID_FID_OWNER', `${toHex(owner)} ${what}, not fid ${fid}`, 'owner')
}

function checkReserved({ isReserved }: Authorities, name: unknown): void {
  if (typeof name !== 'string' || !isReserved(name)) return
  throw refused('USERNAME_RESERVED', `"${name}" is reserved; choose another name`, 'name')
}

const SIGNATURE = /^0x(?:[0-9a-f]{2})+$/i

function readSignature(value: unknown): Uint8Array {
  if (typeof value === 'string' && SIGNATURE.test(value)) return fromHex(value)!
  throw refused('INVALID_SIGNATURE', 'signature has to be 0x and hex digits', 'signature')
}

function readName(value: unknown): string {
  if (typeof value === 'string') return value
  throw refused('INVALID_USERNAME', 'name has to be a text', 'name')
}

/** Digits in a text count as well: published clients send them. */
function readTimestamp(value: unknown): number {
  const seconds = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (Number.isSafeInteger(seconds) && (seconds as number) >= 0) return seconds as number
  throw refused('INVALID_TIMESTAMP', 'timestamp has to be whole Unix seconds', 'timestamp')
}

/** Throws a Rejection INVALID_USERNAME unless the text is a registry name. */
export function checkName(name: string): void {
  try {
    checkFname(name)
  } catch (error) {
    const text = 'a name is 1 to 16 characters of a-z, 0-9 and -, and does not begin with -'
    if (error instanceof Rejection) throw refused('INVALID_USERNAME', text, 'name')
    throw error
  }
}

const refused = (code: RegistryError, text: string, field: string) =>
  new Rejection(code, text, { field })
