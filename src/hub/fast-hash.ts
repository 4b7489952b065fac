import hashWasm from 'hash-wasm/dist/blake3.umd.min.js'
import { HASH_BYTES, hashWith } from '../protocol/hash.ts'

/**
 * Lets WebAssembly compute the message hashes of this thread, in a tenth of the time: 0.5 us where 5 are needed, and 7 KB
 * of garbage less for each. Resolves when it does.
 */
export async function hashInWebAssembly(): Promise<void> {
  const blake3 = await hashWasm.createBLAKE3(HASH_BYTES * 8)
  hashWith((bytes) => blake3.init().update(bytes).digest('binary'))
}
