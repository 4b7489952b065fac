// JSON written from stored bytes must equal the JSON of the decoded message, whatever the bytes are.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { concatBytes, fromHex } from '../codec/bytes.ts'
import { decodeMessage } from '../codec/decode.ts'
import { bytesField, numberField } from '../codec/wire-write.ts'
import type { DataInit, JsonOptions } from '../kinds/kind.ts'
import { MESSAGE_FORMS, type SignedMessage } from '../message.ts'
import { HashScheme, MessageDataSchema, SignatureScheme } from '../wire/message_pb.js'
import { DEFAULT_JSON_OPTIONS, messageJson } from './json.ts'
import { JsonBytes } from './json-bytes.ts'
import { MessageWriter } from './message-json.ts'

const HASH = new Uint8Array(20).map((_, i) => 13 * i)
const SIGNER = new Uint8Array(32).map((_, i) => 250 - i)
const SIGNATURE = new Uint8Array(64).map((_, i) => 255 - 3 * i)

/** The message as JSON writes its decoded object. */
const expected = (dataBytes: Uint8Array, form: SignedMessage['form'], options: JsonOptions) => {
  const data = fromBinary(MessageDataSchema, dataBytes, { readUnknownFields: false })
  const message: SignedMessage = {
    data,
    fid: Number(data.fid),
    dataBytes,
    form,
    hash: HASH,
    hashScheme: HashScheme.BLAKE3,
    signature: SIGNATURE,
    signatureScheme: SignatureScheme.ED25519,
    signer: SIGNER,
  }
  return JSON.stringify(messageJson(message, options))
}

/** A new one has a megabyte, and thousands of them make V8 collect the whole heap of a process that runs many files. */
const out = new JsonBytes()

/** The message as it is written from its bytes, after one that is the same but longer. */
function written(data: Uint8Array, form: number, options = DEFAULT_JSON_OPTIONS): string {
  const writer = new MessageWriter(out, options)
  const packed = concatBytes(HASH, SIGNER, SIGNATURE, data)
  const longer = concatBytes(packed, bytesField(100, Uint8Array.of(0x80)))
  for (const one of [longer, packed]) {
    out.clear()
    writer.write(one, form)
  }
  return Buffer.from(out.written).toString()
}

function checkAll(data: Uint8Array, options = DEFAULT_JSON_OPTIONS): void {
  for (const form of Object.values(MESSAGE_FORMS)) {
    assert.equal(written(data, form, options), expected(data, form, options))
  }
}

const folder = new URL('../../../../fixtures/json/', import.meta.url)
const fixtures = readdirSync(folder)
  .filter((name) => name.startsWith('message-'))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))

test('the stored bytes of every kind are written as their decoded message is', () => {
  for (const { bytes, options } of fixtures) {
    const { dataBytes } = decodeMessage(fromHex(bytes)!)
    const all = { ...DEFAULT_JSON_OPTIONS, ...options }
    checkAll(dataBytes, all)
  }
})

const bodies = (body: NonNullable<DataInit['body']>, fid = 7n): Uint8Array =>
  toBinary(
    MessageDataSchema,
    create(MessageDataSchema, { type: 1, fid, timestamp: 2 ** 32 - 1, network: 1, body }),
  )

const castOf = (text: string, rest: object = {}) =>
  bodies({ case: 'castAddBody', value: { text, ...rest } })

test('every character of a text is written as JSON.stringify writes it', () => {
  const low = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).join('')
  const texts = [
    '',
    low,
    '\u2028\u2029\ufeff\uffff',
    '\ufeffbegins',
    '\u{1f4be}"\\/',
    'x'.repeat(9_999),
  ]
  for (const text of texts) checkAll(castOf(text))
})

test('a character is written alike wherever it is in a text', () => {
  const characters = [
    '"',
    '\\',
    '\n',
    '\u0001',
    '\u001f',
    ' ',
    '!',
    '#',
    '[',
    ']',
    '\u007f',
    '\u00a2',
    '\u4f60',
    '\u{1f4be}',
  ]
  for (const character of characters) {
    for (let before = 0; before < 9; before++) {
      for (const after of ['', 'a', '\u00e4"\u00df', 'abcdefgh']) {
        checkAll(castOf('x'.repeat(before) + character + after))
      }
    }
  }
})

test('numbers of any length are written as JSON.stringify writes them', () => {
  for (let digits = 1; digits <= 15; digits++) {
    for (const fid of [10 ** (digits - 1), 10 ** digits - 1, Math.floor(10 ** digits / 7)]) {
      checkAll(castOf('', { mentions: [BigInt(fid)] }))
    }
  }
})

test('numbers, lists and empty parts are written in full', () => {
  const fids = [0n, 1n, 9n, 10n, 127n, 128n, 999_999_999n, 1_000_000_000n, 2n ** 32n - 1n]
  for (const fid of [...fids, 2n ** 53n - 1n, 2n ** 53n + 2n, 2n ** 64n - 1n]) {
    checkAll(
      bodies(
        { case: 'linkBody', value: { type: 'follow', target: { case: 'targetFid', value: fid } } },
        fid,
      ),
    )
    checkAll(castOf('', { mentions: [fid, 5n, fid], mentionsPositions: [0, 2 ** 32 - 1, 300] }))
  }
  const castId = { fid: 3n, hash: HASH }
  const embeds = [
    { embed: { case: 'url', value: '' } },
    { embed: { case: undefined } },
    { embed: { case: 'castId', value: castId } },
    { embed: { case: 'castId', value: {} } },
  ]
  for (let count = 0; count <= embeds.length; count++) {
    checkAll(castOf('embeds', { embeds: embeds.slice(0, count) }))
  }
  // An encoder that writes nothing but what differs from a default.
  const manyEmpty = Array.from({ length: 4_000 }, () => embeds[3])
  checkAll(castOf('', { embeds: manyEmpty, embedsDeprecated: ['', 'a', ''] }))
  checkAll(
    bodies({ case: 'reactionBody', value: { type: 2, target: { case: 'targetUrl', value: 'u' } } }),
  )
  checkAll(
    bodies({ case: 'reactionBody', value: { target: { case: 'targetCastId', value: castId } } }),
  )
  checkAll(bodies({ case: 'linkBody', value: { displayTimestamp: 0 } }))
  checkAll(bodies({ case: 'userDataBody', value: {} }))
  checkAll(bodies({ case: 'castRemoveBody', value: { targetHash: HASH } }))
})

test('encodings that are not the usual ones are decoded first', () => {
  const text = (value: string) => bytesField(4, Buffer.from(value))
  const body = (...fields: Uint8Array[]) => bytesField(5, concatBytes(...fields))
  const head = [numberField(1, 1), numberField(2, 7), numberField(3, 5), numberField(4, 1)]
  const data = (...fields: Uint8Array[]) => concatBytes(...head, ...fields)
  const url = bytesField(6, bytesField(1, Buffer.from('u')))
  const parent = bytesField(3, numberField(1, 7))
  const odd = {
    'a text twice': data(body(text('a'), text('b'))),
    'the fid twice': concatBytes(numberField(2, 9), data(body(text('a')))),
    'two parents': data(body(parent, bytesField(7, Buffer.from('p')))),
    'an unknown field': data(body(text('a'), numberField(12, 1))),
    'a field with a long tag': data(body(text('a')), numberField(99, 1)),
    'numbers one by one': data(body(numberField(2, 5), numberField(2, 300), text('a'))),
    'fields out of order': concatBytes(body(numberField(8, 1), text('a')), ...head),
    'embeds apart from each other': data(body(url, text('a'), url)),
    'a type without a name': data(body(numberField(8, 77), text('a'))),
    'no body': data(),
    'another body besides': data(body(text('a')), bytesField(12, bytesField(2, Buffer.from('v')))),
    'a varint with zeros at its end': data(bytesField(5, Uint8Array.of(0x40, 0x81, 0x80, 0x00))),
    'nothing at all': new Uint8Array(0),
  }
  for (const [what, bytes] of Object.entries(odd)) {
    assert.equal(written(bytes, 1), expected(bytes, 1, DEFAULT_JSON_OPTIONS), what)
  }
})
