// What wallets sign so that a message adds or removes a key, and what an app's request for a key is stored as.
import { ADDRESS_BYTES, KEY_BYTES } from '../kernel/protocol/sizes.ts'
import { type Bytes, bytesOf, toHex } from './hex.ts'
import { type KeyScope, scopeNumbers } from './scopes.ts'

/** A struct and its domain, from `/v1/domains` of the accounts interface. */
type Struct = {
  readonly domain: object
  readonly types: Readonly<Record<string, readonly { name: string; type: string }[]>>
}
/** `structs` of `/v1/domains`. */
export type SigningStructs = Readonly<Record<string, Struct>>

/** The argument of eth_signTypedData_v4, as an object. */
export type WalletTypedData = Struct & {
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

type KeyTerms = {
  readonly fid: number
  /** 32 bytes. */
  readonly key: Bytes
  /** Above `currentUserNonce` of `/v1/signersByFid`. */
  readonly nonce: number
  /** Network seconds (since 2021-01-01 UTC). */
  readonly deadline: number
}

const ED25519_KEY_TYPE = 1
const WORD_BYTES = 32

/** What the custody address signs to add a key; the signature is `custodySignature` of `keyAdd`. */
export function keyAddTypedData(
  structs: SigningStructs,
  terms: KeyTerms & { readonly scopes: readonly KeyScope[]; readonly ttl: number },
): WalletTypedData {
  const { fid, key, scopes, ttl, nonce, deadline } = terms
  const message = {
    fid,
    key: keyText(key),
    keyType: ED25519_KEY_TYPE,
    scopes: scopeNumbers(scopes),
    ttl,
    nonce,
    deadline,
  }
  return walletTypedData(structs, 'KeyAdd', message)
}

/** What the custody address signs to remove a key; the signature is `signature` of `keyRemove`. */
export function keyRemoveTypedData(structs: SigningStructs, terms: KeyTerms): WalletTypedData {
  const { fid, key, nonce, deadline } = terms
  return walletTypedData(structs, 'KeyRemove', { fid, key: keyText(key), nonce, deadline })
}

/** What the custody address of an app signs to ask for a key. An account may ask for its own keys. */
export function keyRequestTypedData(
  structs: SigningStructs,
  request: { readonly requestFid: number; readonly key: Bytes; readonly deadline: number },
): WalletTypedData {
  const { requestFid, key, deadline } = request
  const message = { requestFid, key: keyText(key), deadline }
  // Signed in the domain of gasless keys; the struct has the domain of a contract.
  const { domain } = structOf(structs, 'KeyAdd')
  const { types } = structOf(structs, 'SignedKeyRequest')
  const struct = { domain, types: { SignedKeyRequest: types.SignedKeyRequest! } }
  return walletTypedData({ SignedKeyRequest: struct }, 'SignedKeyRequest', message)
}

/** The signed request of an app as `metadata` of `keyAdd`: one tuple in ABI encoding. */
export function keyRequestMetadata(request: {
  readonly requestFid: number
  /** The custody address that signed. */
  readonly requestSigner: Bytes
  readonly signature: Bytes
  readonly deadline: number
}): Uint8Array {
  const signature = bytesOf(request.signature, 'the signature of the request')
  const padded = Math.ceil(signature.length / WORD_BYTES) * WORD_BYTES
  // The offset of the tuple; its four fields, of which the signature is an offset; its length and its bytes.
  const out = new Uint8Array(6 * WORD_BYTES + padded)
  const words = [
    number(WORD_BYTES),
    number(request.requestFid),
    bytesOf(request.requestSigner, 'the address of the request', ADDRESS_BYTES),
    number(4 * WORD_BYTES),
    number(request.deadline),
    number(signature.length),
  ]
  for (const [i, word] of words.entries()) out.set(word, (i + 1) * WORD_BYTES - word.length)
  out.set(signature, words.length * WORD_BYTES)
  return out
}

/** 8 bytes, the largest first. */
function number(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

const keyText = (key: Bytes) => toHex(bytesOf(key, 'the key', KEY_BYTES))

function structOf(structs: SigningStructs, name: string): Struct {
  const struct = structs[name]
  if (struct) return struct
  throw new TypeError(`the structs have no ${name}: pass those of /v1/domains`)
}

const DOMAIN_FIELDS = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
} as const

/** The struct as wallets read it: with the type of its domain. */
export function walletTypedData(
  structs: SigningStructs,
  primaryType: string,
  message: WalletTypedData['message'],
): WalletTypedData {
  const { domain, types } = structOf(structs, primaryType)
  const fields = Object.entries(DOMAIN_FIELDS)
    .filter(([name]) => name in domain)
    .map(([name, type]) => ({ name, type }))
  return { domain, types: { EIP712Domain: fields, ...types }, primaryType, message }
}
