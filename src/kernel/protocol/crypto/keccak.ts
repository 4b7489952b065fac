import { keccak_256 } from '@noble/hashes/sha3.js'

type Hasher = (bytes: Uint8Array) => Uint8Array

/** Works everywhere, as that of hash.ts. */
let hasher: Hasher = keccak_256

/** Lets another implementation of Keccak-256 compute the hashes of this thread. */
export function keccakWith(other: Hasher): void {
  hasher = other
}

/** The 32-byte Keccak-256 hash, as Ethereum has it. */
export const keccak256 = (bytes: Uint8Array): Uint8Array => hasher(bytes)
