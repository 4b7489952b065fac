import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as build from '../protocol/build.ts'
import { decodeMessage, encodeMessage } from '../protocol/decode.ts'
import { signEd25519 } from '../protocol/ed25519.ts'
import { encodeEnvelope } from '../protocol/envelope.ts'
import { DEFAULT_JSON_OPTIONS, messageText } from '../protocol/json.ts'
import { networkTime } from '../protocol/time.ts'
import { ReactionType, UserDataType } from '../protocol/wire/message_pb.js'
import { Candidate } from './candidate.ts'
import { createExaminer, type ExaminationSettings, packBodies, VERDICTS } from './examination.ts'
import { packBatch } from './message-batch.ts'
import { verifyPacked } from './signature-batch.ts'
import { startVerifier } from './signature-verifier.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const SEED = new Uint8Array(32).fill(7)
const SETTINGS = { network: 3, acceptDataSignatures: false, json: DEFAULT_JSON_OPTIONS }
const origin = { fid: 12, timestamp: networkTime(NOW_MS), network: 3 }

const signed = (init: Parameters<typeof build.buildMessage>[0]) => build.buildMessage(init, SEED)
const cast = signed(build.castAdd(origin, { text: 'Grüße, 🐦 "quoted"\u0001' }))
const PLAIN = [
  cast,
  signed(build.castAdd(origin, { text: 'hello', mentions: [3n], mentionsPositions: [0] })),
  signed(build.linkAdd(origin, 'follow', 9)),
  signed(
    build.reactionAdd(origin, ReactionType.LIKE, { fid: 3, hash: new Uint8Array(20).fill(1) }),
  ),
  signed(build.userDataAdd(origin, UserDataType.USER_DATA_TYPE_BIO, 'about me')),
].flatMap((message) => [encodeEnvelope(message), encodeMessage(message)])

const examine = (bodies: readonly Uint8Array[], settings: Partial<ExaminationSettings> = {}) =>
  createExaminer({ ...SETTINGS, ...settings })(packBodies(bodies, NOW_MS))

test('the row and the answer of a valid body are those of its decoded message', async () => {
  const { verdicts, types, rows, texts, textEnds } = await examine(PLAIN)
  const messages = PLAIN.map(decodeMessage)
  assert.deepEqual([...verdicts], Array(PLAIN.length).fill(VERDICTS.valid))
  assert.deepEqual(rows, packBatch(messages.map((message) => Candidate.of(message))))
  assert.deepEqual(
    [...types],
    messages.map(({ data }) => data.type),
  )
  const written = messages.map((_, i) => texts.subarray(textEnds[i - 1] ?? 0, textEnds[i]))
  assert.deepEqual(
    written.map((text) => Buffer.from(text).toString()),
    messages.map((message) => messageText(message)),
  )
})

test('a body that is refused or needs another answer is left to the caller, and one with a bad signature is named', async () => {
  const late = { ...origin, timestamp: origin.timestamp + 601 }
  const forged = encodeEnvelope({ ...cast, signature: new Uint8Array(64) })
  const others = [
    Uint8Array.of(0xff),
    new Uint8Array(),
    encodeEnvelope({ ...cast, hash: new Uint8Array(20) }),
    encodeEnvelope(signed(build.castAdd(late, { text: 'from the future' }))),
    encodeEnvelope(signed(build.castAdd({ ...origin, network: 1 }, { text: 'elsewhere' }))),
    encodeEnvelope(signed(build.castAdd(origin, { text: 'x'.repeat(2_000) }))),
    encodeEnvelope(
      signed(build.userDataAdd(origin, UserDataType.USER_DATA_TYPE_USERNAME, 'alice')),
    ),
  ]
  const { verdicts, types } = await examine([...others, forged, PLAIN[0]!])
  const { other, badSignature, valid } = VERDICTS
  assert.deepEqual([...verdicts], [...others.map(() => other), badSignature, valid])
  assert.equal(types.length, 1)
})

test('a signature over the data is valid where the settings say so', async () => {
  const overData = encodeEnvelope({ ...cast, signature: signEd25519(cast.dataBytes, SEED) })
  const verdict = async (acceptDataSignatures: boolean) =>
    (await examine([overData], { acceptDataSignatures })).verdicts[0]
  assert.equal(await verdict(true), VERDICTS.valid)
  assert.equal(await verdict(false), VERDICTS.badSignature)
})

test('of many signatures another thread verifies a part, and each message has its own verdict', async (t) => {
  const settings = { ...SETTINGS, acceptDataSignatures: true }
  const unread = Uint8Array.of(0xff)
  const forged = encodeEnvelope({ ...cast, signature: new Uint8Array(64) })
  const overData = encodeEnvelope({ ...cast, signature: signEd25519(cast.dataBytes, SEED) })
  const kinds = [PLAIN[0]!, unread, forged, overData, PLAIN[2]!, PLAIN[4]!, PLAIN[0]!]
  const bodies = Array.from({ length: 150 }, (_, i) => kinds[i % kinds.length]!)
  const alone = await examine(bodies, settings)
  let elsewhere = 0
  const shared = createExaminer(settings, async (packed) => {
    const results = verifyPacked(packed)
    elsewhere += results.length
    return results
  })
  assert.deepEqual(await shared(packBodies(bodies, NOW_MS)), alone)
  assert.ok(elsewhere > 0 && elsewhere < bodies.length)
  const { other, badSignature, valid } = VERDICTS
  const verdicts = [valid, other, badSignature, valid, valid, valid, valid]
  assert.deepEqual(
    [...alone.verdicts],
    bodies.map((_, i) => verdicts[i % kinds.length]),
  )

  const verifier = startVerifier(1, settings)
  t.after(() => verifier.close())
  assert.deepEqual(await verifier.examine(bodies, NOW_MS), [alone])
})
