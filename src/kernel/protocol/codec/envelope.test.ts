import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildMessage, castAdd } from '../build.ts'
import { MESSAGE_FORMS, type SignedMessage } from '../message.ts'
import { decodeBulk, decodeList, decodeMessage, encodeMessage } from './decode.ts'
import { encodeEnvelope, encodeList } from './envelope.ts'

const SEED = new Uint8Array(32).fill(7)
const origin = { fid: 1, timestamp: 5, network: 1 }

/** Messages whose data is of every length around the steps of its length's encoding, in every form. */
const MESSAGES: SignedMessage[] = [0, 90, 100, 110, 120, 300, 16_370, 16_400].flatMap((length) => {
  const message = buildMessage(castAdd(origin, { text: 'x'.repeat(length) }), SEED)
  return Object.values(MESSAGE_FORMS).map((form) => ({ ...message, form }))
})

test('an envelope is decoded to the same message in the same form', () => {
  for (const message of MESSAGES) {
    assert.deepEqual(decodeMessage(encodeEnvelope(message)), message)
  }
})

test('an envelope with data and data bytes equals what the codec writes', () => {
  for (const message of MESSAGES.filter(({ form }) => form === MESSAGE_FORMS.both)) {
    assert.deepEqual(encodeEnvelope(message), encodeMessage(message))
  }
})

test('a list of envelopes is decoded in order, also as a bulk request', () => {
  assert.deepEqual(decodeList(encodeList(MESSAGES)), MESSAGES)
  assert.deepEqual(decodeBulk(encodeList(MESSAGES)), MESSAGES)
  assert.deepEqual(decodeList(encodeList([])), [])
})
