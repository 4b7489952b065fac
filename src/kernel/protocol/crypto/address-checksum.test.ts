import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getAddress } from 'viem/utils'
import { toHex } from '../codec/bytes.ts'
import { isChecksumAddress } from './address-checksum.ts'

test('the examples of EIP-55 are checksum addresses', () => {
  for (const address of [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ]) {
    assert.equal(isChecksumAddress(address), true, address)
  }
})

test('of all spellings of an address only the one that viem writes is a checksum address', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.nat(39), (bytes, at) => {
      const right = getAddress(toHex(bytes) as `0x${string}`)
      assert.equal(isChecksumAddress(right), true)
      const digit = right[at + 2]!
      const other = digit === digit.toUpperCase() ? digit.toLowerCase() : digit.toUpperCase()
      if (other === digit) return
      assert.equal(isChecksumAddress(right.slice(0, at + 2) + other + right.slice(at + 3)), false)
    }),
    { seed: 7 },
  )
})

test('texts that are not 0x and 40 hex digits are not checksum addresses', () => {
  const right = '0x52908400098527886E0F7030069857D2E4169EE7'
  for (const text of [
    '',
    right.slice(2),
    right.slice(0, -1),
    `${right}0`,
    right.replace('0x', '0X'),
  ]) {
    assert.equal(isChecksumAddress(text), false, text)
  }
})
