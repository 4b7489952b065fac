import { blake3 } from '@noble/hashes/blake3.js'
import { HASH_BYTES } from '../sizes.ts'

type Hasher = (bytes: Uint8Array) => Uint8Array

/** Works everywhere. Pages in a browser may not be allowed to compile WebAssembly. */
let hasher: Hasher = (bytes) => blake3(bytes, { dkLen: HASH_BYTES })

/** Lets another implementation of BLAKE3 compute the hashes of this thread. */
export function hashWith(other: Hasher): void {
  hasher = other
}

/** The 20-byte message hash of exactly these data bytes; also what the author signs. */
export const hashOf = (dataBytes: Uint8Array): Uint8Array => hasher(dataBytes)
