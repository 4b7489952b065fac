// What submits pay before they are decoded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { buildMessage, castAdd, verificationAddEth } from '../../protocol/build.ts'
import { encodeEnvelope, encodeList } from '../../protocol/codec/envelope.ts'
import { keyAdd, keyRemove } from '../../protocol/kinds/gasless-key.ts'
import { MESSAGE_FORMS } from '../../protocol/message.ts'
import { MessageSchema } from '../../protocol/wire/message_pb.js'
import { costOfBulk, costOfMessage } from './price.ts'

const origin = { fid: 1, timestamp: 1, network: 3 }
const bytes = (length: number) => new Uint8Array(length).fill(7)
const terms = { key: bytes(32), nonce: 1, deadline: 1 }
const seed = bytes(32)
const cast = buildMessage(castAdd(origin, { text: 'hello' }), seed)
const add = buildMessage(
  keyAdd(origin, {
    ...terms,
    ttl: 1,
    scopes: [1],
    metadata: bytes(288),
    custodySignature: bytes(65),
  }),
  seed,
)
const removal = buildMessage(
  keyRemove(origin, { ...terms, signature: bytes(65), signatureType: 1 }),
  seed,
)
const claim = { address: bytes(20), claimSignature: bytes(65), blockHash: bytes(32) }
const verification = buildMessage(verificationAddEth(origin, claim), seed)

const recoveries = (message: Uint8Array) => costOfMessage(message).recoveries

test('a message pays for the Ethereum signatures that its body may have, in each form of its data', () => {
  for (const [message, expected] of [
    [cast, 0],
    [verification, 1],
    [removal, 1],
    [add, 3],
  ] as const) {
    for (const form of Object.values(MESSAGE_FORMS)) {
      assert.equal(recoveries(encodeEnvelope({ ...message, form })), expected)
    }
  }
})

test('a message cannot hide a dear body behind another one or behind many unknown fields', () => {
  const { dataBytes } = add
  const wire = (data: Uint8Array) =>
    toBinary(MessageSchema, create(MessageSchema, { dataBytes: data }))
  const unknown = Buffer.from('f8ff0301'.repeat(100), 'hex')
  assert.equal(recoveries(wire(Buffer.concat([dataBytes, cast.dataBytes]))), 3)
  assert.equal(recoveries(wire(Buffer.concat([cast.dataBytes, dataBytes]))), 3)
  assert.equal(recoveries(wire(Buffer.concat([unknown, dataBytes]))), 3)
  assert.equal(recoveries(Buffer.concat([unknown, encodeEnvelope(add)])), 3)
  assert.equal(recoveries(bytes(100)), 0, 'what cannot be read is refused before')
})

test('a bulk request pays for each of its messages, and for one when it cannot be read', () => {
  assert.deepEqual(costOfBulk(encodeList([cast, add, verification, add])), {
    signatures: 4,
    writes: 4,
    recoveries: 7,
  })
  assert.deepEqual(costOfBulk(bytes(10)), { signatures: 1, writes: 1, recoveries: 0 })
  const many = encodeList(Array.from({ length: 300 }, () => removal))
  assert.deepEqual(costOfBulk(many), { signatures: 256, writes: 256, recoveries: 256 })
})
