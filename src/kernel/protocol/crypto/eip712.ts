// What Ethereum keys sign: domains of EIP-712, and signer recovery.

import { toHex } from '../codec/bytes.ts'
import type { Origin } from '../kinds/kind.ts'
import {
  type ContractDomain,
  DEPLOYED_BRAND,
  DEPLOYED_CHAIN_ID,
  DEPLOYED_CONTRACTS,
  LEAST_OWN_CHAIN_ID,
  SIGNED_KEY_REQUEST_DOMAIN,
  type TypedDataDomain,
} from './account-domains.ts'
import {
  ACCOUNT_DATA_TYPES,
  KEY_ADD_TYPES,
  KEY_REMOVE_TYPES,
  NAME_TRANSFER_TYPES,
  SIGNED_KEY_REQUEST_TYPES,
  USERNAME_PROOF_TYPES,
  VERIFICATION_CLAIM_TYPES,
} from './account-structs.ts'
import { recoverDigestSigner, signDigest } from './secp256k1.ts'
import { type TypedData, typedDataDigest } from './typed-data-digest.ts'

type Hex = `0x${string}`

export * from './account-structs.ts'
export { type TypedData, typedDataDigest }

/** The domain of registry name claims, signed by users and by the registry's own key. */
export function usernameProofDomain({
  chainId = 1,
  brand = DEPLOYED_BRAND,
  verifyingContract = '0xe3be01d99baa8db9905b33a3ca391238234b79d1' as Hex,
}: {
  chainId?: number | undefined
  brand?: string | undefined
  verifyingContract?: Hex | undefined
} = {}): ContractDomain {
  return { name: `${brand} name verification`, version: '1', chainId, verifyingContract }
}

export const USERNAME_PROOF_DOMAIN = usernameProofDomain()

/** The typed data of a name claim: bare name, Unix seconds, 20-byte owner. */
export function usernameProofTypedData(
  claim: { name: string; timestamp: number | bigint; owner: Uint8Array },
  domain: TypedDataDomain = USERNAME_PROOF_DOMAIN,
): TypedData {
  const message = {
    name: claim.name,
    timestamp: BigInt(claim.timestamp),
    owner: addressText(claim.owner),
  }
  return { domain, types: USERNAME_PROOF_TYPES, primaryType: 'UserNameProof', message }
}

/** The domain of moves at one registry: the chain id of its accounts and the address that signs its names. */
export const nameTransferDomain = (network: {
  readonly chainId: number
  readonly registrySigner: Hex
}): ContractDomain => ({
  name: 'Rookery name transfer',
  version: '1',
  chainId: network.chainId,
  verifyingContract: network.registrySigner,
})

/** The typed data of a move: bare name, giving and receiving fid, Unix seconds. */
export function nameTransferTypedData(
  {
    name,
    from,
    to,
    timestamp,
  }: { name: string; from: number; to: number; timestamp: number | bigint },
  domain: TypedDataDomain,
): TypedData {
  const message = { name, from: BigInt(from), to: BigInt(to), timestamp: BigInt(timestamp) }
  return { domain, types: NAME_TRANSFER_TYPES, primaryType: 'NameTransfer', message }
}

/** The domain of address claims by plain accounts: a salt, and neither chain nor contract. */
export const VERIFICATION_CLAIM_DOMAIN = {
  name: 'Farcaster Verify Ethereum Address',
  version: '2.0.0',
  salt: '0xf2d857f4a3edcb9b78b4d503bfe733db1e3f6cdc2b7971ee739626c97e86a558',
} as const

type VerificationClaim = {
  readonly fid: number | bigint
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 32 bytes. */
  readonly blockHash: Uint8Array
  /** The number of the message's network. */
  readonly network: number
}

/** The typed data of an address claim; contract wallets sign it with their chain in the domain. */
export function verificationClaimTypedData(claim: VerificationClaim, chainId?: number): TypedData {
  const domain = VERIFICATION_CLAIM_DOMAIN
  const message = {
    fid: BigInt(claim.fid),
    address: addressText(claim.address),
    blockHash: toHex(claim.blockHash) as Hex,
    network: claim.network,
  }
  return {
    domain: chainId === undefined ? domain : { ...domain, chainId },
    types: VERIFICATION_CLAIM_TYPES,
    primaryType: 'VerificationClaim',
    message,
  }
}

/** The 65-byte claim signature of a plain account, by its 32-byte private key. */
export function signEthClaim(
  origin: Pick<Origin, 'fid' | 'network'>,
  claim: { address: Uint8Array; blockHash: Uint8Array },
  privateKey: Uint8Array,
): Uint8Array {
  const { fid, network } = origin
  return signTypedData(verificationClaimTypedData({ fid, network, ...claim }), privateKey)
}

/** The 20-byte address that signed a plain account's claim; undefined when no key could have. */
export function recoverVerificationClaim(
  claim: VerificationClaim,
  signature: Uint8Array,
): Uint8Array | undefined {
  return recoverTypedDataSigner(verificationClaimTypedData(claim), signature)
}

/** The 20-byte address that signed; undefined as recoverDigestSigner says. */
export function recoverTypedDataSigner(
  typedData: TypedData,
  signature: Uint8Array,
  options: { lowS?: boolean } = {},
): Uint8Array | undefined {
  return recoverDigestSigner(typedDataDigest(typedData), signature, options)
}

/** Signs typed data with a 32-byte secp256k1 key: r, s, v (65 bytes, low s, v 27 or 28). */
export function signTypedData(typedData: TypedData, privateKey: Uint8Array): Uint8Array {
  return signDigest(typedDataDigest(typedData), privateKey)
}

function addressText(address: Uint8Array): Hex {
  return toHex(address) as Hex
}

/** The typed data an app signs to ask for a key. */
export function signedKeyRequestTypedData(
  request: { requestFid: number | bigint; key: Uint8Array; deadline: number | bigint },
  domain: TypedDataDomain = SIGNED_KEY_REQUEST_DOMAIN,
): TypedData {
  const message = {
    requestFid: BigInt(request.requestFid),
    key: toHex(request.key) as Hex,
    deadline: BigInt(request.deadline),
  }
  return { domain, types: SIGNED_KEY_REQUEST_TYPES, primaryType: 'SignedKeyRequest', message }
}

export type AccountDataRequest = {
  /** `export`, `erase`, or about sealed keys: see sign-in/sealed-keys. */
  readonly action: string
  readonly fid: number
  /** mainnet, testnet or devnet: a request for one network does nothing on another. */
  readonly network: string
  /** Unix seconds. */
  readonly deadline: number
}

/** `signing` names the chain and the contract of the network's accounts, so that each server has its own. */
export function accountDataTypedData(
  { action, fid, network, deadline }: AccountDataRequest,
  { chainId, verifyingContract }: Pick<TypedDataDomain, 'chainId' | 'verifyingContract'>,
): TypedData {
  return {
    domain: {
      name: 'Rookery Account Data',
      version: '1',
      ...(chainId !== undefined && { chainId }),
      ...(verifyingContract && { verifyingContract }),
    },
    types: ACCOUNT_DATA_TYPES,
    primaryType: 'AccountDataRequest',
    message: { action, fid: BigInt(fid), network, deadline: BigInt(deadline) },
  }
}

/**
 * The domain of gasless keys, by that of the key registry. On the deployed network it is chain id 1 and no contract. A network with
 * its own accounts is named in it, so that a custody signature of another network adds no key here: by its chain id if that is its
 * own, as ledgers of earlier versions have it, else by its contract.
 */
export function gaslessKeyDomain({
  chainId = DEPLOYED_CHAIN_ID,
  verifyingContract = DEPLOYED_CONTRACTS.keyRegistry,
}: Pick<TypedDataDomain, 'chainId' | 'verifyingContract'> = {}): TypedDataDomain {
  const domain = { name: 'Farcaster KeyAdd', version: '1' }
  if (verifyingContract.toLowerCase() === DEPLOYED_CONTRACTS.keyRegistry.toLowerCase()) {
    return { ...domain, chainId: chainId === DEPLOYED_CHAIN_ID ? 1 : chainId }
  }
  return { ...domain, chainId, ...(chainId < LEAST_OWN_CHAIN_ID && { verifyingContract }) }
}

type KeyClaim = {
  readonly fid: number | bigint
  /** 32 bytes, Ed25519. */
  readonly key: Uint8Array
  /** Above every nonce that the fid's custody address has used for gasless keys. */
  readonly nonce: number
  /** Signed, and compared with no clock. Not 0. */
  readonly deadline: number
}

/** The typed data that a custody address signs to add a gasless key; `ttl` in seconds. */
export function keyAddTypedData(
  claim: KeyClaim & { readonly scopes: readonly number[]; readonly ttl: number },
  domain: TypedDataDomain = gaslessKeyDomain(),
): TypedData {
  const message = {
    fid: BigInt(claim.fid),
    key: toHex(claim.key) as Hex,
    keyType: 1,
    scopes: [...claim.scopes],
    ttl: claim.ttl,
    nonce: claim.nonce,
    deadline: BigInt(claim.deadline),
  }
  return { domain, types: KEY_ADD_TYPES, primaryType: 'KeyAdd', message }
}

/** The typed data that a custody address signs to remove a gasless key. */
export function keyRemoveTypedData(
  claim: KeyClaim,
  domain: TypedDataDomain = gaslessKeyDomain(),
): TypedData {
  const message = {
    fid: BigInt(claim.fid),
    key: toHex(claim.key) as Hex,
    nonce: claim.nonce,
    deadline: BigInt(claim.deadline),
  }
  return { domain, types: KEY_REMOVE_TYPES, primaryType: 'KeyRemove', message }
}
