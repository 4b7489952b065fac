import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import * as core from '@farcaster/core'
import * as build from '../build.ts'
import { checkMessage } from '../check.ts'
import { signEd25519 } from '../crypto/ed25519.ts'
import { hashOf } from '../crypto/hash.ts'
import { MESSAGE_FORMS } from '../message.ts'
import { MessageDataSchema, Protocol, ReactionType, UserDataType } from '../wire/message_pb.js'
import { fromHex, toHex } from './bytes.ts'
import { decodeMessage } from './decode.ts'
import { deployedEncodings } from './deployed-encodings.ts'
import { encodeEnvelope } from './envelope.ts'

const seed = new Uint8Array(32).fill(7)
const origin = { fid: 1, timestamp: 5, network: 1 }
const hash = new Uint8Array(20).fill(9)
const dataOf = (init: build.DataInit) => create(MessageDataSchema, init)

test('the example of the specification has the bytes that the client library writes', () => {
  const data = dataOf(
    build.castAdd(origin, {
      text: 'T',
      parent: { case: 'parentUrl', value: 'P' },
      embeds: [{ embed: { case: 'url', value: 'E' } }],
    }),
  )
  const [withEmptyLists, without] = [...deployedEncodings(data)].map(toHex)
  const head = '0x0801100118052001'
  assert.equal(withEmptyLists, `${head}2a0f12003a01502201542a0032030a0145`)
  assert.equal(without, `${head}2a0b3a015022015432030a0145`)
})

const CASES: Readonly<Record<string, build.DataInit>> = {
  'a plain cast': build.castAdd(origin, 'hello'),
  'a cast with everything': build.castAdd(origin, {
    text: 'hello'.repeat(100),
    mentions: [3n, 300n],
    mentionsPositions: [0, 5],
    embeds: [
      { embed: { case: 'url', value: 'E' } },
      { embed: { case: 'castId', value: { fid: 2n, hash } } },
    ],
    parent: { case: 'parentCastId', value: { fid: 2n, hash } },
    type: 1,
  }),
  'a cast with a parent url': build.castAdd(origin, {
    text: 'hello',
    parent: { case: 'parentUrl', value: 'https://example.com' },
  }),
  'a cast with string embeds': build.castAdd(origin, { text: '', embedsDeprecated: ['a', 'b'] }),
  'a cast remove': build.castRemove(origin, hash),
  'a reaction to a cast': build.reactionAdd(origin, ReactionType.LIKE, { fid: 2, hash }),
  'a reaction to a url': build.reactionRemove(origin, ReactionType.RECAST, { url: 'u' }),
  'a link': build.linkAdd(origin, 'follow', 2),
  'a compact state': build.linkCompactState(origin, 'follow', [2, 300]),
  'an empty profile entry': build.userDataAdd(origin, UserDataType.USER_DATA_TYPE_BIO, ''),
  'a removed verification': build.verificationRemove(origin, hash, Protocol.ETHEREUM),
  'a frame action': build.frameAction(origin, { url: fromHex('6161')!, castId: { fid: 2n, hash } }),
}

for (const [name, init] of Object.entries(CASES)) {
  test(`${name} is encoded as the client library encodes it, which is what the deployed hub hashes`, () => {
    const data = dataOf(init)
    const library = core.MessageData.encode(
      core.MessageData.decode(toBinary(MessageDataSchema, data)),
    ).finish()
    const [first, second] = [...deployedEncodings(data)]
    assert.equal(toHex(first!), toHex(library))
    for (const bytes of [first!, second!]) {
      assert.deepEqual(fromBinary(MessageDataSchema, bytes), data)
    }
  })
}

/** A message with `data` alone, whose bytes and hash are as given. */
function dataOnly(sent: Uint8Array, hashed: Uint8Array) {
  const claimed = hashOf(hashed)
  const message = build.buildMessage(CASES['a plain cast']!, seed)
  const signature = signEd25519(claimed, seed)
  const form = MESSAGE_FORMS.data
  return encodeEnvelope({ ...message, form, dataBytes: sent, hash: claimed, signature })
}

test('a message whose data was encoded anew on its way is accepted with the bytes of its hash', () => {
  const data = dataOf(CASES['a cast with a parent url']!)
  const tagOrdered = toBinary(MessageDataSchema, data)
  for (const hashed of deployedEncodings(data)) {
    assert.notDeepEqual(hashed, tagOrdered)
    const message = decodeMessage(dataOnly(tagOrdered, hashed))
    assert.equal(toHex(message.dataBytes), toHex(hashed))
    checkMessage(message, { now: 1000, network: 1 })
    const stored = decodeMessage(encodeEnvelope(message))
    assert.equal(toHex(stored.dataBytes), toHex(hashed))
  }
})

test('a message keeps its data as received when those bytes have its hash', () => {
  const sent = toBinary(MessageDataSchema, dataOf(CASES['a cast with a parent url']!))
  assert.equal(toHex(decodeMessage(dataOnly(sent, sent)).dataBytes), toHex(sent))
})

test('a hash over less or other than the whole data is refused', () => {
  const data = dataOf(CASES['a cast with everything']!)
  const sent = toBinary(MessageDataSchema, data)
  const other = toBinary(MessageDataSchema, dataOf(build.castAdd(origin, 'other')))
  for (const hashed of [other, sent.subarray(0, -1), new Uint8Array(0)]) {
    const message = decodeMessage(dataOnly(sent, hashed))
    assert.equal(toHex(message.dataBytes), toHex(sent))
    assert.throws(
      () => checkMessage(message, { now: 1000, network: 1 }),
      /^Rejection: invalid hash/,
    )
  }
})

test('data bytes are never encoded anew, even when that would give the hash', () => {
  const data = dataOf(CASES['a cast with a parent url']!)
  const sent = toBinary(MessageDataSchema, data)
  const [hashed] = [...deployedEncodings(data)]
  const message = build.buildMessage(CASES['a plain cast']!, seed)
  for (const form of [MESSAGE_FORMS.both, MESSAGE_FORMS.dataBytes]) {
    const bytes = encodeEnvelope({ ...message, form, dataBytes: sent, hash: hashOf(hashed!) })
    assert.throws(
      () => checkMessage(decodeMessage(bytes), { now: 1000, network: 1 }),
      /^Rejection: invalid hash/,
    )
  }
})
