import { blake3 } from '@noble/hashes/blake3.js'

/** Message hashes are BLAKE3 cut to this length. */
export const HASH_BYTES = 20

/** The 20-byte message hash of exactly these data bytes; also what the author signs. */
export function hashOf(dataBytes: Uint8Array): Uint8Array {
  return blake3(dataBytes, { dkLen: HASH_BYTES })
}
