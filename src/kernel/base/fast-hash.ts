import blake3Wasm from 'hash-wasm/dist/blake3.umd.min.js'
import keccakWasm from 'hash-wasm/dist/keccak.umd.min.js'
import { hashWith } from '../protocol/crypto/hash.ts'
import { keccakWith } from '../protocol/crypto/keccak.ts'
import { HASH_BYTES } from '../protocol/sizes.ts'

/**
 * Computes the hashes of this thread in WebAssembly from now on: those of messages in 0.5 us in place of 5 and with 7 KB
 * less garbage, those of Ethereum in 1 in place of 6. Resolves when the modules are loaded.
 */
export async function hashInWebAssembly(): Promise<void> {
  const [blake3, keccak] = await Promise.all([
    blake3Wasm.createBLAKE3(HASH_BYTES * 8),
    keccakWasm.createKeccak(256),
  ])
  hashWith((bytes) => blake3.init().update(bytes).digest('binary'))
  keccakWith((bytes) => keccak.init().update(bytes).digest('binary'))
}
