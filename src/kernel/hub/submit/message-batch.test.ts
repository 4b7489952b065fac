import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as build from '../../protocol/build.ts'
import { decodeMessage, encodeMessage } from '../../protocol/codec/decode.ts'
import { MESSAGE_FORMS } from '../../protocol/message.ts'
import { UserDataType } from '../../protocol/wire/message_pb.js'
import { Candidate } from './candidate.ts'
import { packBatch, unpackBatch } from './message-batch.ts'

const SEED = new Uint8Array(32).fill(7)
const origin = { fid: 2 ** 32 - 1, timestamp: 2 ** 32 - 1, network: 1 }

const CANDIDATES: Candidate[] = [
  build.castAdd(origin, {
    text: 'x'.repeat(300),
    mentions: [1n, 2n ** 32n - 1n],
    mentionsPositions: [0, 5],
  }),
  build.castAdd(origin, { text: '', parent: { case: 'parentUrl', value: 'https://example.com' } }),
  build.castRemove(origin, new Uint8Array(20).fill(3)),
  build.linkAdd(origin, 'follow', 2 ** 32 - 1),
  build.linkCompactState(origin, 'follow', [1, 2, 3]),
  build.userDataAdd(origin, UserDataType.USER_DATA_TYPE_BIO, 'a short biography'),
].flatMap((init) => {
  const message = build.buildMessage(init, SEED)
  const received = decodeMessage(encodeMessage(message))
  return [
    Candidate.of({ ...message, form: MESSAGE_FORMS.dataBytes }),
    Candidate.of(received, new Uint8Array(20).fill(9)),
    Candidate.of(received, new Uint8Array(0)),
  ]
})

const plain = ({ row, answer, body }: Candidate) => ({
  ...row,
  ...Object.fromEntries(
    Object.entries(row).flatMap(([column, value]) =>
      value instanceof Uint8Array ? [[column, Buffer.from(value).toString('hex')]] : [],
    ),
  ),
  answer: answer && Buffer.from(answer).toString('hex'),
  body,
})

test('a packed batch is unpacked to the same rows, answers and bodies', () => {
  for (const list of [CANDIDATES, CANDIDATES.slice(0, 1), []]) {
    assert.deepEqual(unpackBatch(structuredClone(packBatch(list))).map(plain), list.map(plain))
  }
})

test('an unpacked row has the columns that its message had before', () => {
  const [candidate] = unpackBatch(packBatch(CANDIDATES.slice(0, 1)))
  assert.equal(candidate!.row.fid, 2 ** 32 - 1)
  assert.deepEqual(candidate!.row.mentions, [1, 2 ** 32 - 1])
  assert.equal(candidate!.body.case, 'castAddBody')
  assert.equal(candidate!.answer, undefined)
})
