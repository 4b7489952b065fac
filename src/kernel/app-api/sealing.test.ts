import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Sealer, UnreadableSecretError } from './sealing.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const secret = new Uint8Array(32).map((_, i) => i)
const OWNER = [new Uint8Array(16).fill(1), new Uint8Array(32).fill(2)]

describe('sealed secrets', () => {
  const sealer = new Sealer(key(7))

  test('a sealed secret is opened with the same key for the same row', () => {
    const sealed = sealer.seal(secret, OWNER)
    assert.deepEqual(sealer.open(sealed, OWNER), secret)
    assert.equal(Buffer.from(sealed).includes(Buffer.from(secret)), false)
    assert.notDeepEqual(sealer.seal(secret, OWNER), sealed)
  })

  test('a sealed secret is useless with another key, in another row, or changed by one bit', () => {
    const sealed = sealer.seal(secret, OWNER)
    const refused = (work: () => unknown) => assert.throws(work, UnreadableSecretError)
    refused(() => new Sealer(key(8)).open(sealed, OWNER))
    refused(() => sealer.open(sealed, [OWNER[1]!, OWNER[0]!]))
    refused(() => sealer.open(sealed, [OWNER[0]!]))
    refused(() => sealer.open(sealed, [Buffer.concat(OWNER)]))
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed)
      changed[at]! ^= 1
      refused(() => sealer.open(changed, OWNER))
    }
    for (const length of [0, 1, 27, 28, sealed.length - 1]) {
      refused(() => sealer.open(sealed.subarray(0, length), OWNER))
    }
  })

  test('a sealing key that is not 32 bytes long is refused', () => {
    assert.throws(() => new Sealer(new Uint8Array(31)))
  })
})
