import { AUTH_ADDRESS_KEY_TYPE, isAuthAddressKey } from '../protocol/auth-address.ts'
import { toHex } from '../protocol/codec/bytes.ts'
import {
  signedKeyRequestTypedData,
  type TypedData,
  typedDataDigest,
} from '../protocol/crypto/eip712.ts'
import { decodeSignedKeyRequestMetadata } from '../protocol/crypto/key-request-metadata.ts'
import { type ContractError, Rejection } from '../protocol/rejection.ts'
import { KEY_BYTES } from '../protocol/sizes.ts'
import type { AccountState } from './account-state.ts'
import { ED25519_KEY_TYPE } from './on-chain-events.ts'
import type { AddFor, NonceContract, RecoverFor, Signed, TransferFor } from './port.ts'
import type { LedgerSettings } from './settings.ts'
import { domainsText } from './signatures/accepted-domains.ts'
import type { VerifySignature } from './signatures/signature.ts'

// Checks that several calls share: who signed, and that an app requested the key.

export type Terms = {
  readonly settings: LedgerSettings
  /** Unix seconds: the time of the call's block. */
  readonly now: number
  /** Undefined in a simulation, which makes every check except those of signatures. */
  readonly verify: VerifySignature | undefined
}

/** The metadata type of a signed key request, which is known for keys of both types. */
const SIGNED_KEY_REQUEST_TYPE = 1

export type Signing = Signed & {
  readonly contract: NonceContract
  readonly signer: Uint8Array
  /** The field of the signature when a call has two: `fromSignature`, `toSignature`. */
  readonly side?: 'from' | 'to' | 'recovery'
}

/** Checks the deadline, then the signature over the next nonce, which is thereby used. */
export async function checkSigned(
  state: AccountState,
  terms: Terms,
  { contract, signer, deadline, signature, side }: Signing,
  typedDataWith: (nonce: number) => TypedData,
): Promise<void> {
  if (BigInt(terms.now) > deadline) {
    const field = side ? `${side}Deadline` : 'deadline'
    throw refused('SignatureExpired', `${field} ${deadline} is over: it is ${terms.now} now`, field)
  }
  const nonce = state.nonce(contract, signer)
  if (!(await isSigned(terms, signer, () => typedDataWith(nonce), signature))) {
    const field = side ? `${side}Signature` : 'signature'
    const { primaryType, domain } = typedDataWith(nonce)
    const what = `${primaryType} with nonce ${nonce} under the domain ${domain.name}`
    throw refused('InvalidSignature', `${field} is not ${toHex(signer)}'s over ${what}`, field)
  }
  state.takeNonce(contract, signer)
}

/** A simulation hashes nothing either: hashing typed data costs half of what a signature does. */
const isSigned = async (
  { verify }: Terms,
  signer: Uint8Array,
  typedData: () => TypedData,
  signature: Uint8Array,
): Promise<boolean> =>
  verify === undefined || verify(signer, typedDataDigest(typedData()), signature)

export async function checkBothSides(
  state: AccountState,
  call: TransferFor,
  terms: Terms,
  typedDataWith: (nonce: number, deadline: bigint) => TypedData,
): Promise<void> {
  const giver: Signing = {
    contract: 'idRegistry',
    signer: call.from,
    deadline: call.fromDeadline,
    signature: call.fromSignature,
    side: 'from',
  }
  for (const side of [giver, receiverOf(call)]) {
    await checkSigned(state, terms, side, (nonce) => typedDataWith(nonce, side.deadline))
  }
}

export const receiverOf = (call: TransferFor | RecoverFor): Signing => ({
  contract: 'idRegistry',
  signer: call.to,
  deadline: call.toDeadline,
  signature: call.toSignature,
  side: 'to',
})

/** Checks a signed key request of an app that has a fid now; it does not depend on the key's owner. */
export async function checkMetadata(
  state: AccountState,
  { keyType, key, metadataType, metadata }: AddFor,
  terms: Terms,
): Promise<void> {
  const { now, settings } = terms
  const isKnown = keyType === ED25519_KEY_TYPE || keyType === AUTH_ADDRESS_KEY_TYPE
  if (!isKnown || metadataType !== SIGNED_KEY_REQUEST_TYPE) {
    const message = `no keys of type ${keyType} with metadata of type ${metadataType}`
    throw refused('ValidatorNotFound', message, 'keyType')
  }
  const request = decodeSignedKeyRequestMetadata(metadata)
  if (!request) throw badMetadata('is not an encoded signed key request')
  const { requestFid, requestSigner, deadline, signature } = request
  // The contract accepts fid 0 for a signer without a fid, which would be a key without a requesting app.
  if (requestFid === 0n || BigInt(state.fidOf(requestSigner) ?? 0) !== requestFid) {
    throw badMetadata(`is signed by ${toHex(requestSigner)}, which does not hold fid ${requestFid}`)
  }
  if (BigInt(now) > deadline) throw badMetadata(`has a deadline, ${deadline}, that is over`)
  if (key.length !== KEY_BYTES) throw badMetadata('is for a key that is not 32 bytes')
  if (keyType === AUTH_ADDRESS_KEY_TYPE && !isAuthAddressKey(key)) {
    throw badMetadata('is for an auth address that is not 20 bytes after 12 zero bytes')
  }
  for (const domain of settings.keyRequestDomains) {
    const typedData = () => signedKeyRequestTypedData({ requestFid, key, deadline }, domain)
    if (await isSigned(terms, requestSigner, typedData, signature)) return
  }
  const whose = `${toHex(requestSigner)}'s over this key`
  const where = domainsText(settings.keyRequestDomains)
  throw badMetadata(`holds a signature that is not ${whose} ${where}`)
}

export const refused = (code: ContractError, message: string, field: string) =>
  new Rejection(code, message, { field })

const badMetadata = (why: string) => refused('InvalidMetadata', `metadata ${why}`, 'metadata')
