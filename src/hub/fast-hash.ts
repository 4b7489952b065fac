import hashWasm from 'hash-wasm/dist/blake3.umd.min.js'
import { HASH_BYTES, hashWith } from '../protocol/hash.ts'

/**
 * Computes the message hashes of this thread in WebAssembly from now on. A hash takes 0.5 us in place of 5, and makes 7 KB
 * less garbage. Resolves when the module is loaded.
 */
export async function hashInWebAssembly(): Promise<void> {
  const blake3 = await hashWasm.createBLAKE3(HASH_BYTES * 8)
  hashWith((bytes) => blake3.init().update(bytes).digest('binary'))
}
