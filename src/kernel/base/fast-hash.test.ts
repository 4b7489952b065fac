import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf } from '../protocol/crypto/hash.ts'
import { keccak256 } from '../protocol/crypto/keccak.ts'
import { hashInWebAssembly } from './fast-hash.ts'

/** Around the blocks of BLAKE3 (64) and Keccak (136), the chunks of BLAKE3 (1,024) and the library's buffer (16,384). */
const SIZES = [64, 136, 1_024, 16_384, 65_536].flatMap((size) => [size - 1, size, size + 1])

test('WebAssembly computes the same hashes as the library for browsers', async () => {
  const list = [0, 1, 2, 110, 300, 2_048, ...SIZES].map((size) =>
    Buffer.alloc(size, `bytes ${size}`),
  )
  const hashes = () => [hashOf, keccak256].flatMap((hash) => list.map((bytes) => hash(bytes)))
  const slow = hashes()
  await hashInWebAssembly()
  const fast = hashes()
  assert.deepEqual(
    fast.map((hash) => Buffer.from(hash)),
    slow.map((hash) => Buffer.from(hash)),
  )
  // What was returned before is not written over by the next hash.
  const [first] = fast
  assert.deepEqual(Buffer.from(first!), Buffer.from(slow[0]!))
})
