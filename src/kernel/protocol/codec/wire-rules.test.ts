// Each field of each message, in encodings on both sides of each bound.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { longVarint } from '../../../../test/wire-mutations.ts'
import { MessageDataSchema, MessageSchema } from '../wire/message_pb.js'
import { concatBytes } from './bytes.ts'
import { findWireFault } from './wire-rules.ts'
import { bytesField } from './wire-write.ts'

type Place = {
  readonly path: string
  readonly field: DescField
  /** The data with the field alone, in these bytes. */
  wrap(bytes: Uint8Array): Uint8Array
}

/** Every field of a type and of the messages inside it. */
function placesOf(type: DescMessage, prefix = '', wrap: Place['wrap'] = (bytes) => bytes): Place[] {
  return type.fields.flatMap((field) => {
    const path = `${prefix}${field.localName}`
    const inner = (bytes: Uint8Array) => wrap(bytesField(field.number, bytes))
    return [
      { path, field, wrap },
      ...(field.message ? placesOf(field.message, `${path}.`, inner) : []),
    ]
  })
}

const PLACES = placesOf(MessageDataSchema)
const isBytes = ({ message, scalar }: DescField) =>
  message !== undefined || scalar === ScalarType.STRING || scalar === ScalarType.BYTES
const is64 = ({ scalar }: DescField) => scalar === ScalarType.UINT64
const isSigned = (field: DescField) => field.enum !== undefined || field.scalar === ScalarType.INT32

const tag = ({ number }: DescField, wireType: number) => longVarint(BigInt(number * 8 + wireType))
const faultOf = (place: Place, bytes: readonly number[]) =>
  findWireFault(MessageDataSchema, place.wrap(Uint8Array.from(bytes)))

/** Fails unless the number in this encoding is refused, or is not. In lists also packed. */
function check(place: Place, varint: readonly number[], isRefused: boolean): void {
  const { field, path } = place
  const encodings = [[...tag(field, 0), ...varint]]
  if (field.fieldKind === 'list') encodings.push([...tag(field, 2), varint.length, ...varint])
  for (const encoding of encodings) {
    const what = `${path} in ${Buffer.from(encoding).toString('hex')}`
    assert.equal(faultOf(place, encoding)?.field, isRefused ? path : undefined, what)
  }
}

const numbers = PLACES.filter(({ field }) => !isBytes(field))

test('a number of 32 bits in any field takes at most five bytes and is below 2^32', () => {
  const short = numbers.filter(({ field }) => !is64(field))
  assert.ok(short.length >= 20)
  for (const place of short) {
    for (let size = 1; size <= 10; size++) check(place, longVarint(1n, size), size > 5)
    check(place, longVarint(2n ** 32n - 1n), false)
    check(place, longVarint(2n ** 32n), true)
    check(place, longVarint(2n ** 64n - 1n), !isSigned(place.field))
    check(place, longVarint(2n ** 64n - 2n ** 31n), !isSigned(place.field))
    check(place, longVarint(2n ** 64n - 2n ** 31n - 1n), true)
    check(place, longVarint(2n ** 63n), true)
  }
})

test('a number of 64 bits in any field may take ten bytes and is below 2^53', () => {
  const long = numbers.filter(({ field }) => is64(field))
  assert.ok(long.length > 10)
  for (const place of long) {
    for (let size = 1; size <= 10; size++) check(place, longVarint(1n, size), false)
    check(place, longVarint(2n ** 53n - 1n), false)
    check(place, longVarint(2n ** 53n), true)
    check(place, longVarint(2n ** 64n - 1n), true)
    check(place, longVarint(2n ** 64n), true)
  }
})

test('a length in any field takes at most five bytes', () => {
  for (const place of PLACES.filter(({ field }) => isBytes(field) || field.fieldKind === 'list')) {
    for (let size = 1; size <= 10; size++) {
      const fault = faultOf(place, [...tag(place.field, 2), ...longVarint(0n, size)])
      assert.equal(
        fault?.field,
        size > 5 ? place.path : undefined,
        `${place.path} in ${size} bytes`,
      )
    }
  }
})

test('a tag of any field takes at most five bytes', () => {
  for (const { field, wrap } of PLACES) {
    for (let size = 1; size <= 10; size++) {
      const wireType = isBytes(field) ? 2 : 0
      const bytes = [...longVarint(BigInt(field.number * 8 + wireType), size), 0]
      const fault = findWireFault(MessageDataSchema, wrap(Uint8Array.from(bytes)))
      assert.equal(fault !== undefined, size > 5, `${field.name} in ${size} bytes`)
    }
  }
})

test('the last number of a packed list ends with the list', () => {
  for (const place of numbers.filter(({ field }) => field.fieldKind === 'list')) {
    const packed = [...tag(place.field, 2), 2, 1, 0x81]
    assert.equal(faultOf(place, packed)?.what, 'is not a list of numbers', place.path)
    // A decoder would read on in the next field.
    assert.equal(faultOf(place, [...packed, 0x10, 1])?.field, place.path)
  }
})

test('unknown fields of any length of a varint are accepted, and groups are not', () => {
  const unknown = (bytes: number[]) => findWireFault(MessageSchema, Uint8Array.from(bytes))
  for (let size = 1; size <= 10; size++) {
    assert.equal(unknown([0xf8, 0x07, ...longVarint(1n, size)]), undefined)
  }
  assert.ok(unknown([0xf8, 0x07, ...longVarint(1n, 11)]))
  assert.ok(unknown([0xfb, 0x07, 0xfc, 0x07]))
})

test('a single message that occurs twice is refused, and one in a list is not', () => {
  const twice = (field: number, inner: number) => {
    const body = bytesField(inner, new Uint8Array())
    return findWireFault(MessageDataSchema, bytesField(field, concatBytes(body, body)))
  }
  assert.deepEqual(twice(5, 3), { field: 'castAddBody.parentCastId', what: 'occurs twice' })
  assert.equal(twice(5, 6), undefined)
})
