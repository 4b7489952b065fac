import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import * as build from '../../protocol/build.ts'
import { decodeMessage, encodeMessage } from '../../protocol/codec/decode.ts'
import { encodeEnvelope } from '../../protocol/codec/envelope.ts'
import { networkTime } from '../../protocol/time.ts'
import { CastType, ReactionType, UserDataType } from '../../protocol/wire/message_pb.js'
import { Candidate } from './candidate.ts'
import { type ExaminationSettings, examine, headOf, packBodies, VERDICTS } from './examination.ts'
import { startExaminers } from './examiners.ts'
import { packBatch } from './message-batch.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const SEED = new Uint8Array(32).fill(7)
const SETTINGS: ExaminationSettings = { network: 3 }
const SENT = { nowMs: NOW_MS, areStored: false }
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
const FORGED = encodeEnvelope({ ...cast, signature: new Uint8Array(64) })
/** The signature is of another implementation, and over the data. */
const OVER_DATA = encodeEnvelope({ ...cast, signature: ed25519.sign(cast.dataBytes, SEED) })

const examined = (bodies: readonly Uint8Array[]) => examine(packBodies(bodies, SENT), SETTINGS)

const rowsOf = (bodies: readonly Uint8Array[]) =>
  packBatch(bodies.map(decodeMessage).map((message) => Candidate.of(message)))

test('the rows of valid bodies are those of their decoded messages', () => {
  const { verdicts, valid, asking, questions, refused } = examined(PLAIN)
  assert.deepEqual([...verdicts], Array(PLAIN.length).fill(VERDICTS.valid))
  assert.deepEqual(valid, rowsOf(PLAIN))
  assert.deepEqual(asking, packBatch([]))
  assert.deepEqual([questions, refused], [[], []])
})

test('each refused body has its reason, and what is known of its message', () => {
  const late = { ...origin, timestamp: origin.timestamp + 601 }
  const future = signed(build.castAdd(late, { text: 'from the future' }))
  const bodies = [
    Uint8Array.of(0xff),
    new Uint8Array(),
    encodeEnvelope({ ...cast, hash: new Uint8Array(20) }),
    encodeEnvelope(future),
    encodeEnvelope(signed(build.castAdd({ ...origin, network: 1 }, { text: 'elsewhere' }))),
    FORGED,
  ]
  const { verdicts, refused } = examined([...bodies, PLAIN[0]!])
  assert.deepEqual([...verdicts], [...bodies.map(() => VERDICTS.refused), VERDICTS.valid])
  assert.deepEqual(
    refused.map(({ rejection }) => rejection.field),
    [undefined, 'data', 'hash', 'data.timestamp', 'data.network', 'signature'],
  )
  assert.deepEqual(
    refused.map(({ head }) => head?.fid),
    [undefined, undefined, 12, 12, 12, 12],
  )
  assert.deepEqual(refused[3]!.head, headOf(future))
})

test('a message that only a chain, the registry or a subscription decides has a question', () => {
  const username = signed(build.userDataAdd(origin, UserDataType.USER_DATA_TYPE_USERNAME, 'alice'))
  const long = signed(build.castAdd(origin, { text: 'x'.repeat(2_000), type: CastType.TEN_K_CAST }))
  const bodies = [username, long].map(encodeEnvelope)
  const { verdicts, valid, asking, questions } = examined([bodies[0]!, PLAIN[0]!, bodies[1]!])
  assert.deepEqual([...verdicts], [VERDICTS.asks, VERDICTS.valid, VERDICTS.asks])
  assert.deepEqual(valid, rowsOf([PLAIN[0]!]))
  assert.deepEqual(asking, rowsOf(bodies))
  assert.deepEqual(questions[0], { withoutPro: undefined, asksOutside: true })
  assert.equal(questions[1]!.withoutPro!.message, 'Pro subscription required')
  assert.equal(questions[1]!.asksOutside, false)
})

test('of a message that another hub has stored, its time and the subscription of its author then are left to that hub', () => {
  const old = { ...origin, timestamp: networkTime(NOW_MS) - 3_600 }
  const lend = signed(build.lendStorage(old, { toFid: 13, units: 1 }))
  const long = signed(build.castAdd(origin, { text: 'x'.repeat(2_000), type: CastType.TEN_K_CAST }))
  const bodies = [lend, long].map(encodeEnvelope)
  const stored = examine(packBodies(bodies, { ...SENT, areStored: true }), SETTINGS)
  assert.deepEqual([...examined(bodies).verdicts], [VERDICTS.refused, VERDICTS.asks])
  assert.deepEqual([...stored.verdicts], [VERDICTS.valid, VERDICTS.valid])
})

test('a signature over the data is valid', () => {
  assert.equal(examined([OVER_DATA]).verdicts[0], VERDICTS.valid)
})

test('threads decide as one examination does, however many bodies come at once and however large they are', async (t) => {
  const large = encodeEnvelope(
    signed(
      build.linkCompactState(
        origin,
        'follow',
        Array.from({ length: 2_000 }, (_, i) => i + 1),
      ),
    ),
  )
  const kinds = [PLAIN[0]!, Uint8Array.of(0xff), FORGED, OVER_DATA, large, PLAIN[4]!]
  const examiners = startExaminers(2, SETTINGS)
  t.after(() => examiners.close())
  for (const count of [0, 1, 2, 3, 25]) {
    const bodies = Array.from({ length: count }, (_, i) => kinds[(i + count) % kinds.length]!)
    const parts = await examiners.examine(bodies, SENT)
    const verdicts = parts.flatMap((part) => [...part.verdicts])
    assert.deepEqual(verdicts, [...examined(bodies).verdicts], `${count} bodies`)
    let from = 0
    for (const part of parts) {
      const own = bodies.slice(from, from + part.verdicts.length)
      assert.deepEqual(part, examined(own))
      from += own.length
    }
  }
})
