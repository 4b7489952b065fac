import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import { DEFAULT_JSON_OPTIONS } from '../protocol/json.ts'
import type { Signed } from './signature-batch.ts'
import { startVerifier } from './signature-verifier.ts'

const HASH_BYTES = 20
const SETTINGS = { network: 3, json: DEFAULT_JSON_OPTIONS }

/** Messages whose signatures are over the hash, over the data, and over something else, in turn. */
function signedMessages(count: number, dataBytes: number): Signed[] {
  return Array.from({ length: count }, (_, i) => {
    const seed = Buffer.alloc(32, i + 1)
    const [hash, data] = [Buffer.alloc(HASH_BYTES, i), Buffer.alloc(dataBytes, i)]
    const covered = [hash, data, Buffer.from('something else')][i % 3]!
    const signature = ed25519.sign(covered, seed)
    return { signature, signer: ed25519.getPublicKey(seed), hash, data }
  })
}

for (const acceptsData of [true, false]) {
  const covered = acceptsData ? 'hash and data' : 'the hash alone'
  test(`signatures over ${covered} are valid, however many messages come at once and however large they are`, async (t) => {
    const verifier = startVerifier(2, { ...SETTINGS, acceptDataSignatures: acceptsData })
    t.after(() => verifier.close())
    const expected = (i: number) => i % 3 === 0 || (i % 3 === 1 && acceptsData)
    for (const [count, bytes] of [
      [0, 10],
      [1, 10],
      [2, 10],
      [2, 10_000],
      [3, 10],
      [25, 100],
    ] as const) {
      const results = await verifier.verify(signedMessages(count, bytes))
      assert.deepEqual(
        results,
        Array.from({ length: count }, (_, i) => expected(i)),
        `${count} messages of ${bytes} bytes`,
      )
    }
  })
}
