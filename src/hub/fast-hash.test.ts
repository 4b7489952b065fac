import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf } from '../protocol/hash.ts'
import { hashInWebAssembly } from './fast-hash.ts'

/** Around the sizes of BLAKE3's blocks (64), its chunks (1,024) and the library's buffer (16,384). */
const SIZES = [64, 1_024, 16_384, 65_536].flatMap((size) => [size - 1, size, size + 1])

test('WebAssembly computes the same hashes as the library for browsers', async () => {
  const list = [0, 1, 2, 110, 300, 2_048, ...SIZES].map((size) =>
    Buffer.alloc(size, `bytes ${size}`),
  )
  const slow = list.map(hashOf)
  await hashInWebAssembly()
  const fast = list.map(hashOf)
  assert.deepEqual(
    fast.map((hash) => Buffer.from(hash)),
    slow.map((hash) => Buffer.from(hash)),
  )
  // What was returned before is not written over by the next hash.
  const [first] = fast
  assert.deepEqual(Buffer.from(first!), Buffer.from(slow[0]!))
})
