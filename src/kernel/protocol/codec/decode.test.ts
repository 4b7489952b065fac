import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import * as build from '../build.ts'
import { checkMessage } from '../check.ts'
import { MESSAGE_FORMS } from '../message.ts'
import { Rejection, type RejectionCode } from '../rejection.ts'
import { MessageSchema } from '../wire/message_pb.js'
import { concatBytes } from './bytes.ts'
import * as decode from './decode.ts'
import { encodeEnvelope, encodeList } from './envelope.ts'

const seed = new Uint8Array(32).fill(7)
const origin = { fid: 12345, timestamp: 160_000_000, network: 1 }
const message = build.buildMessage(build.castAdd(origin, 'hello'), seed)
const other = build.buildMessage(build.castAdd(origin, 'other'), seed)
const bytes = decode.encodeMessage(message)
const field = (number: number, value: Uint8Array) =>
  concatBytes(Uint8Array.of(number * 8 + 2, value.length), value)

function refusal(input: Uint8Array): Rejection {
  try {
    decode.decodeMessage(input)
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
  return assert.fail('was accepted')
}

test('an encoded message is decoded to the same message, with data and with data bytes', () => {
  const again = decode.decodeMessage(bytes)
  assert.deepEqual(again, message)
  assert.equal(again.form, MESSAGE_FORMS.both)
})

test('the decoder keeps whether a message had data, data bytes or both', () => {
  for (const form of Object.values(MESSAGE_FORMS)) {
    const again = decode.decodeMessage(encodeEnvelope({ ...message, form }))
    assert.deepEqual(again, { ...message, form })
  }
})

test('data bytes win over data when a message has both', () => {
  const both = concatBytes(field(1, other.dataBytes), field(7, message.dataBytes))
  const { data, dataBytes, form } = decode.decodeMessage(both)
  assert.deepEqual(data, message.data)
  assert.deepEqual(dataBytes, message.dataBytes)
  assert.equal(form, MESSAGE_FORMS.both)
})

test('empty data bytes count as missing', () => {
  const { form } = decode.decodeMessage(
    concatBytes(field(1, message.dataBytes), field(7, new Uint8Array())),
  )
  assert.equal(form, MESSAGE_FORMS.data)
})

const NO_DATA: readonly [string, Uint8Array][] = [
  ['an empty body', new Uint8Array()],
  ['an envelope without data', field(2, message.hash)],
  ['empty data', field(1, new Uint8Array())],
]
for (const [name, input] of NO_DATA) {
  test(`${name} is refused because its data is missing`, () => {
    const { code, message: text, field } = refusal(input)
    assert.deepEqual(
      [code, text, field],
      ['bad_request.validation_failure', 'message data is missing', 'data'],
    )
  })
}

const castBody = (body: number[]) => {
  const data = Uint8Array.of(8, 1, 16, 1, 0x2a, body.length, ...body)
  return field(7, data)
}
const UNREADABLE: readonly [string, Uint8Array][] = [
  ['a single byte', Uint8Array.of(1)],
  ['a truncated message', bytes.subarray(0, bytes.length - 1)],
  ['data twice', concatBytes(field(1, message.dataBytes), field(1, message.dataBytes))],
  [
    'a signature that is a number',
    concatBytes(field(7, message.dataBytes), Uint8Array.of(0x20, 1)),
  ],
  ['data bytes that are no data', field(7, Uint8Array.of(0xff))],
  [
    'data bytes that are no data beside good data',
    concatBytes(field(1, message.dataBytes), field(7, Uint8Array.of(0xff))),
  ],
  ['text that is not UTF-8', castBody([0x22, 2, 0xc3, 0x28])],
  ['text with a lone surrogate', castBody([0x22, 3, 0xed, 0xa0, 0x80])],
  ['a text field that is a number', castBody([0x20, 1])],
  ['a parent that occurs twice', castBody([0x1a, 2, 8, 1, 0x1a, 2, 8, 2])],
  ['a message above the limit', new Uint8Array(decode.MAX_MESSAGE_BYTES + 1)],
]
for (const [name, input] of UNREADABLE) {
  test(`${name} is refused because it cannot be decoded`, () => {
    assert.equal(refusal(input).code, 'bad_request.parse_failure')
  })
}

test('text keeps NUL, astral characters and a leading U+FEFF', () => {
  const text = '\ufeffa\0b👋\u0301'
  const built = build.buildMessage(build.castAdd(origin, text), seed)
  const { data } = decode.decodeMessage(decode.encodeMessage(built))
  assert.equal(data.body.case === 'castAddBody' && data.body.value.text, text)
})

test('unknown fields are ignored and kept in the hashed bytes', () => {
  const unknownField127 = Uint8Array.of(0xfa, 0x07, 1, 9)
  const dataBytes = concatBytes(message.dataBytes, unknownField127)
  const received = decode.decodeMessage(field(7, dataBytes))
  assert.deepEqual(received.data, message.data)
  assert.deepEqual(received.dataBytes, dataBytes)
})

test('random bytes give a message or a Rejection and nothing else', () => {
  let seedOfBytes = 1
  const next = () => {
    seedOfBytes = (Math.imul(seedOfBytes, 1_664_525) + 1_013_904_223) >>> 0
    return seedOfBytes >>> 24
  }
  for (let i = 0; i < 100_000; i++) {
    const noise = Uint8Array.from({ length: next() % 64 }, next)
    // Every other one is a good message with some bytes changed, which gets further in.
    const input = i % 2 === 0 ? noise : Uint8Array.from(bytes)
    if (i % 2 === 1) input[(next() * 256 + next()) % input.length] = next()
    try {
      checkMessage(decode.decodeMessage(input), { now: origin.timestamp, network: 1 })
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
    }
  }
})

test('a bad message of a bulk request does not affect its neighbours', () => {
  const request = concatBytes(
    encodeList([message]),
    field(1, Uint8Array.of(0xff)),
    encodeList([other]),
  )
  const [first, second, third, ...rest] = decode.decodeBulk(request)
  assert.deepEqual(first, message)
  assert.ok(second instanceof Rejection && second.code === 'bad_request.parse_failure')
  assert.deepEqual(third, other)
  assert.equal(rest.length, 0)
  assert.deepEqual(decode.decodeBulk(new Uint8Array()), [])
})

test('a bulk request may have 256 messages, and 257 are refused', () => {
  const request = (n: number) => encodeList(Array.from({ length: n }, () => message))
  assert.equal(decode.decodeBulk(request(256)).length, 256)
  const code: RejectionCode = 'bad_request.invalid_param'
  assert.throws(() => decode.decodeBulk(request(257)), {
    code,
    message: 'Too many messages. Max is 256',
  })
  assert.throws(() => decode.decodeBulk(Uint8Array.of(0xff)), { code: 'bad_request.parse_failure' })
})

test('a message is converted to its wire object and back', () => {
  const wire = decode.toWireMessage(message)
  assert.deepEqual(decode.fromWireMessage(wire), message)
  assert.deepEqual(
    decode.decodeMessage(toBinary(MessageSchema, create(MessageSchema, wire))),
    message,
  )
})
