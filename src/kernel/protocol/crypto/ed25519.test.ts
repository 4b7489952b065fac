import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex } from '../codec/bytes.ts'
import { publicKeyOf, signEd25519, verifyEd25519 } from './ed25519.ts'

const seed = new Uint8Array(32).fill(7)
const publicKey = publicKeyOf(seed)
const message = new Uint8Array(20).fill(1)
const signature = signEd25519(message, seed)

/** The eight points of small order, and the spellings of them with a coordinate above the prime. */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
]

test('a signature verifies for its own message and key and for no others', () => {
  assert.ok(verifyEd25519(signature, message, publicKey))
  assert.ok(!verifyEd25519(signature, new Uint8Array(20).fill(2), publicKey))
  for (const at of [0, 31, 32, 63]) {
    const flipped = Uint8Array.from(signature)
    flipped[at]! ^= 1
    assert.ok(!verifyEd25519(flipped, message, publicKey))
  }
})

test('signatures and keys of wrong lengths do not verify', () => {
  for (const length of [0, 63, 65]) {
    assert.ok(!verifyEd25519(new Uint8Array(length), message, publicKey))
  }
  for (const length of [0, 31, 33]) {
    assert.ok(!verifyEd25519(signature, message, new Uint8Array(length)))
  }
})

test('keys and points of small order are refused in every encoding', () => {
  for (const hex of SMALL_ORDER) {
    const point = fromHex(hex)!
    const forged = new Uint8Array(64)
    forged.set(point)
    for (let i = 0; i < 16; i++) {
      assert.ok(!verifyEd25519(forged, Uint8Array.of(i), point), hex)
      assert.ok(!verifyEd25519(forged, Uint8Array.of(i), fromHex(SMALL_ORDER[0]!)!), hex)
    }
    assert.ok(!verifyEd25519(forged, message, publicKey), hex)
  }
})

test('a signature whose scalar is not reduced is refused', () => {
  const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
  const scalar = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString('hex')}`) + ORDER
  const twin = Uint8Array.from(signature)
  twin.set(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse(), 32)
  assert.ok(!verifyEd25519(twin, message, publicKey))
})
