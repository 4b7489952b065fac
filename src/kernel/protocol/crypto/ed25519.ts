import sodium from 'sodium-native'
import { KEY_BYTES } from '../sizes.ts'

export const SIGNATURE_BYTES = 64
export const SEED_BYTES = 32
const SECRET_KEY_BYTES = 64

/**
 * Verifies an Ed25519 signature strictly, as deployed hubs do: false for small-order keys and points,
 * non-canonical keys, S >= L, and wrong lengths.
 */
export function verifyEd25519(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false
  return sodium.crypto_sign_verify_detached(signature, message, publicKey)
}

/** The 64-byte signature of a message by the key of a 32-byte seed. */
export function signEd25519(message: Uint8Array, seed: Uint8Array): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES)
  sodium.crypto_sign_detached(signature, message, keyPairOf(seed).secretKey)
  return signature
}

/** The 32-byte public key of a 32-byte seed. */
export function publicKeyOf(seed: Uint8Array): Uint8Array {
  return keyPairOf(seed).publicKey
}

function keyPairOf(seed: Uint8Array) {
  const publicKey = new Uint8Array(KEY_BYTES)
  const secretKey = new Uint8Array(SECRET_KEY_BYTES)
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed)
  return { publicKey, secretKey }
}
