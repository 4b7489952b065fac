import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBinary } from '@bufbuild/protobuf'
import { buildMessage, castAdd } from '../build.ts'
import type { SignedMessage } from '../message.ts'
import { HubEventSchema, HubEventType } from '../wire/hub_event_pb.js'
import { CastType, MessageSchema } from '../wire/message_pb.js'
import { MessagesResponseSchema } from '../wire/rpc_pb.js'
import { concatBytes } from './bytes.ts'
import { encodePacked, encodePackedMerge, encodePackedMessages } from './packed-envelope.ts'

const SEED = new Uint8Array(32).fill(7)
/** Around the lengths at which a length takes another byte, and at which copying changes. */
const TEXT_LENGTHS = [
  0, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 200, 250, 256, 257, 16_340, 16_400,
]

const messages = TEXT_LENGTHS.map((length, i) =>
  buildMessage(
    castAdd(
      { fid: 1 + i * 40_000_000, timestamp: 1_000 + i, network: 3 },
      { type: CastType.CAST, text: 'x'.repeat(length), embeds: [] },
    ),
    SEED,
  ),
)
const packed = (message: SignedMessage) =>
  concatBytes(message.hash, message.signer, message.signature, message.dataBytes)

/** What a decoder finds in a message that has its data in both fields. */
const decoded = ({ data, dataBytes, ...envelope }: SignedMessage) => ({
  data,
  dataBytes: Buffer.from(dataBytes),
  hash: Buffer.from(envelope.hash),
  hashScheme: envelope.hashScheme,
  signature: Buffer.from(envelope.signature),
  signatureScheme: envelope.signatureScheme,
  signer: Buffer.from(envelope.signer),
})

const found = ({ $typeName, ...message }: ReturnType<typeof fromBinary<typeof MessageSchema>>) => ({
  ...message,
  dataBytes: Buffer.from(message.dataBytes!),
  hash: Buffer.from(message.hash),
  signature: Buffer.from(message.signature),
  signer: Buffer.from(message.signer),
})

test('a packed message of any length is written as decoders read it', () => {
  for (const message of messages) {
    const read = fromBinary(MessageSchema, encodePacked(packed(message)))
    assert.deepEqual(found(read), decoded(message))
  }
})

test('a page of packed messages has all of them in order, and a token only when there is one', () => {
  for (const token of [undefined, new Uint8Array(24).fill(9)]) {
    const bytes = encodePackedMessages(messages.map(packed), token)
    const read = fromBinary(MessagesResponseSchema, bytes)
    assert.deepEqual(read.messages.map(found), messages.map(decoded))
    assert.deepEqual(
      read.nextPageToken && Buffer.from(read.nextPageToken),
      token && Buffer.from(token),
    )
  }
  assert.equal(encodePackedMessages([], undefined).length, 0)
})

test('the event of a merge has the message, its id and its time', () => {
  const heads = [
    { type: HubEventType.MERGE_MESSAGE, id: 1, timestamp: 127 },
    {
      type: HubEventType.MERGE_MESSAGE,
      id: Number.MAX_SAFE_INTEGER,
      timestamp: 2 ** 32 - 1,
    },
  ]
  for (const head of heads) {
    for (const message of messages) {
      const event = fromBinary(HubEventSchema, encodePackedMerge(packed(message), head))
      const { type, id, timestamp, body } = event
      assert.deepEqual([type, Number(id), Number(timestamp)], [head.type, head.id, head.timestamp])
      assert.equal(body.case, 'mergeMessageBody')
      assert.deepEqual(found(body.value.message!), decoded(message))
    }
  }
})
