import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blake3 } from '@noble/hashes/blake3.js'
import { CHUNK_BYTES, hashChunk } from './blake3-chunk.ts'
import { HASH_BYTES, hashOf } from './hash.ts'

const bytesOf = (length: number) =>
  Uint8Array.from({ length }, (_, i) => (i * 251 + length * 7 + (i >> 3)) & 0xff)

test('hashes are the first bytes of BLAKE3 for every length of up to two chunks and a block', () => {
  for (let length = 0; length <= 2 * CHUNK_BYTES + 64; length++) {
    const bytes = bytesOf(length)
    assert.deepEqual(hashOf(bytes), blake3(bytes, { dkLen: HASH_BYTES }), `${length} bytes`)
  }
})

test('a chunk has the whole hash of BLAKE3, also as a part of other bytes', () => {
  const around = bytesOf(700)
  const part = around.subarray(33, 533)
  assert.deepEqual(hashChunk(part, 32), blake3(part.slice()))
})
