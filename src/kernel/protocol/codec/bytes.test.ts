import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as bytes from './bytes.ts'

const hexOf = (text: string) => {
  const read = bytes.fromHex(text)
  return read && Buffer.from(read).toString('hex')
}
const base64Of = (text: string) => {
  const read = bytes.fromBase64(text)
  return read && Buffer.from(read).toString('hex')
}

test('toHex writes 0x and lowercase digits, and nothing for no bytes', () => {
  assert.equal(bytes.toHex(Uint8Array.of(0, 0xab)), '0x00ab')
  assert.equal(bytes.toHex(new Uint8Array()), '')
  assert.equal(bytes.toHex(Uint8Array.of(1, 2, 3).subarray(1, 2)), '0x02')
})

test('fromHex reads hex of either case, with and without 0x', () => {
  for (const text of ['00ab', '00AB', '0x00ab', '0X00Ab']) assert.equal(hexOf(text), '00ab')
  for (const text of ['', '0x']) assert.equal(hexOf(text), '')
  for (const text of ['0', '0x0', 'zz', ' 00', '00 ', '0x0x00', '00\n', '０0']) {
    assert.equal(hexOf(text), undefined, text)
  }
})

test('base64 is read in both alphabets, padded or not, with spaces for plus signs', () => {
  assert.equal(bytes.toBase64(Uint8Array.of(0xfb, 0xff)), '+/8=')
  for (const text of ['+/8=', '+/8', '-_8=', '-_8', ' /8=']) assert.equal(base64Of(text), 'fbff')
  assert.equal(base64Of(''), '')
  for (const text of ['a', '+/8==', 'ab=c', 'ab\n', '!', '=', '====']) {
    assert.equal(base64Of(text), undefined, text)
  }
})

test('bytes are ordered unsigned, a prefix before longer bytes', () => {
  const ordered = [[], [0], [0, 1], [1], [127], [128], [255]].map((b) => Uint8Array.from(b))
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      assert.equal(Math.sign(bytes.compareBytes(a, b)), Math.sign(i - j))
      assert.equal(bytes.equalBytes(a, b), i === j)
    }
  }
})

test('a 32-bit number is written as four bytes, most significant first', () => {
  const cases = {
    0: '00000000',
    255: '000000ff',
    256: '00000100',
    65536: '00010000',
    4294967295: 'ffffffff',
  }
  for (const [n, hex] of Object.entries(cases)) {
    assert.equal(bytes.toHex(bytes.u32be(Number(n))), `0x${hex}`)
  }
})

test('only well-formed UTF-8 is read, and a leading U+FEFF is kept', () => {
  const text = '\ufeffa\0👋'
  assert.equal(bytes.fromUtf8(bytes.toUtf8(text)), text)
  assert.equal(bytes.utf8Length(text), bytes.toUtf8(text).length)
  assert.equal(bytes.fromUtf8(Uint8Array.of(0xed, 0xa0, 0x80)), undefined)
})
