// Compared with viem, which signs for wallets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashTypedData } from 'viem/utils'
import { type Random, randomFrom } from '../../../../test/random.ts'
import { toHex } from '../codec/bytes.ts'
import * as eip712 from './eip712.ts'
import { type TypedData, typedDataDigest } from './typed-data-digest.ts'

const STRUCTS = Object.entries(eip712).flatMap(([name, value]) =>
  name.endsWith('_TYPES') ? Object.entries(value as TypedData['types']) : [],
)
const TEXTS = ['', 'alice', 'snow \u2603', '\u{1f4be}'.repeat(40), 'x'.repeat(300), '"quoted"']

const hexOf = (random: Random, length: number) =>
  toHex(Uint8Array.from({ length }, () => random.int(256))) || '0x'

function randomValue(type: string, random: Random): unknown {
  if (type === 'string') return random.pick(TEXTS)
  if (type === 'bytes') return hexOf(random, random.int(300))
  if (type === 'bytes32') return hexOf(random, 32)
  if (type === 'address') return hexOf(random, 20)
  if (type.endsWith('[]')) {
    return Array.from({ length: random.int(4) }, () => randomValue(type.slice(0, -2), random))
  }
  const bits = BigInt(type.slice('uint'.length))
  const largest = (1n << bits) - 1n
  return random.pick([0n, 1n, largest, BigInt(random.int(256)), largest >> BigInt(random.int(8))])
}

const domainOf = (random: Random): TypedData['domain'] => {
  const maybe = (value: object) => (random.int(2) === 0 ? value : {})
  return {
    name: random.pick(TEXTS.slice(1)),
    version: random.pick(['1', '2.0.0']),
    ...maybe({ chainId: random.pick([1, 10, 31_337, 2 ** 40]) }),
    ...maybe({ verifyingContract: hexOf(random, 20) }),
    ...maybe({ salt: hexOf(random, 32) }),
  }
}

test('the digest of every struct that is signed here is that of viem for random values and domains', () => {
  assert.ok(STRUCTS.length >= 10)
  const random = randomFrom(1)
  for (let round = 0; round < 20; round++) {
    for (const [primaryType, members] of STRUCTS) {
      const entries = members.map(({ name, type }) => [name, randomValue(type, random)] as const)
      const typed: TypedData = {
        domain: domainOf(random),
        types: { [primaryType]: members },
        primaryType,
        message: Object.fromEntries(entries),
      }
      assert.equal(toHex(typedDataDigest(typed)), hashTypedData(typed as never))
    }
  }
})

test('integers may be numbers, and texts as in JSON', () => {
  const [primaryType, members] = ['Only', [{ name: 'value', type: 'uint256' }]] as const
  const digestOf = (value: unknown) =>
    toHex(
      typedDataDigest({
        domain: { name: 'n', version: '1' },
        types: { [primaryType]: members },
        primaryType,
        message: { value },
      }),
    )
  assert.equal(digestOf('1795388663'), digestOf(1_795_388_663n))
  assert.equal(digestOf(1_795_388_663), digestOf(1_795_388_663n))
})

test('a value that is not of the type of its member is refused', () => {
  const members = (type: string) => [{ name: 'value', type }]
  for (const [type, value] of [
    ['uint8', 256],
    ['uint256', -1n],
    ['uint256', 1n << 256n],
    ['uint256', undefined],
    ['uint256', ''],
    ['uint256', '-1'],
    ['uint256', '1e3'],
    ['uint8', '256'],
    ['address', '0x12'],
    ['address', 'alice'],
    ['bytes32', '0x12'],
    ['bytes', '0xz'],
    ['string', 7],
  ] as const) {
    const typed: TypedData = {
      domain: { name: 'n', version: '1' },
      types: { Only: members(type) },
      primaryType: 'Only',
      message: { value },
    }
    assert.throws(() => typedDataDigest(typed), TypeError, `${type} ${value}`)
  }
})
