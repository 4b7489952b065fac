// Ethereum's keys and plain signatures: secp256k1 with the recovery of the signer. The curve is
// compiled to WebAssembly (tiny-secp256k1): about six times as fast as in JavaScript.

import * as secp256k1 from 'tiny-secp256k1'
import { compareBytes, concatBytes, fromHex } from '../codec/bytes.ts'
import { keccak256 } from './keccak.ts'

export const ETH_SIGNATURE_BYTES = 65
const RECOVERY_IDS: Readonly<Record<number, 0 | 1>> = { 0: 0, 1: 1, 27: 0, 28: 1 }
/** Half of the order of the curve: the largest s that contracts accept. */
const MAX_LOW_S = fromHex('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0')!

/**
 * The 20-byte address that signed a 32-byte digest. Undefined unless the signature is r, s, v (65
 * bytes, v one of 0, 1, 27, 28) of some key. `lowS` refuses the high twin of s and the small v, as
 * contracts do. The zero address never signs anything: it stands for "no address" everywhere, and
 * `ecrecover` answers with it when a signature is nonsense.
 */
export function recoverDigestSigner(
  digest: Uint8Array,
  signature: Uint8Array,
  options: { lowS?: boolean } = {},
): Uint8Array | undefined {
  const recoveryId = RECOVERY_IDS[signature[ETH_SIGNATURE_BYTES - 1] ?? -1]
  if (signature.length !== ETH_SIGNATURE_BYTES || recoveryId === undefined) return undefined
  if (options.lowS && !isCanonicalSignature(signature)) return undefined
  try {
    const rs = signature.subarray(0, ETH_SIGNATURE_BYTES - 1)
    const point = secp256k1.recover(digest, rs, recoveryId, false)
    if (!point) return undefined
    const address = addressOfPoint(point)
    return isZeroAddress(address) ? undefined : address
  } catch {
    return undefined
  }
}

/** Whether a 65-byte signature has the one form that contracts accept: low s, v 27 or 28. */
export function isCanonicalSignature(signature: Uint8Array): boolean {
  if (signature.length !== ETH_SIGNATURE_BYTES || signature[ETH_SIGNATURE_BYTES - 1]! < 27) {
    return false
  }
  return compareBytes(signature.subarray(32, 64), MAX_LOW_S) <= 0
}

/** Whether an address consists of zero bytes only, which means that there is no address. */
export const isZeroAddress = (address: Uint8Array): boolean => address.every((byte) => byte === 0)

/** Signs a 32-byte digest with a 32-byte key: r, s, v (65 bytes, low s, v 27 or 28; RFC 6979). */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const { signature, recoveryId } = secp256k1.signRecoverable(digest, privateKey)
  return concatBytes(signature, Uint8Array.of(27 + recoveryId))
}

/** A secp256k1 private key from 0x and 64 hex digits; undefined for anything else. */
export function readPrivateKey(text: string): Uint8Array | undefined {
  const key = /^0x[0-9a-f]{64}$/i.test(text) ? fromHex(text) : undefined
  return key && isPrivateKey(key) ? key : undefined
}

/** Whether 32 bytes are a secp256k1 private key: neither 0 nor beyond the order of the curve. */
export const isPrivateKey = (key: Uint8Array): boolean => secp256k1.isPrivate(key)

/** The 20-byte Ethereum address of a 32-byte secp256k1 private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
  return addressOfPoint(secp256k1.pointFromScalar(privateKey, false)!)
}

function addressOfPoint(uncompressed: Uint8Array): Uint8Array {
  return keccak256(uncompressed.subarray(1)).slice(-20)
}
