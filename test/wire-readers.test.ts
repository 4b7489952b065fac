// Whatever the hub accepts, all decoders read alike: its own and those of the published client libraries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import * as core from '@farcaster/core'
import * as build from '../src/kernel/protocol/build.ts'
import { checkMessage } from '../src/kernel/protocol/check.ts'
import { concatBytes, equalBytes } from '../src/kernel/protocol/codec/bytes.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { bytesField } from '../src/kernel/protocol/codec/wire-write.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { DEFAULT_JSON_OPTIONS } from '../src/kernel/protocol/json/json.ts'
import { JsonBytes } from '../src/kernel/protocol/json/json-bytes.ts'
import { MessageWriter } from '../src/kernel/protocol/json/message-json.ts'
import {
  MESSAGE_FORMS,
  type MessageForm,
  type SignedMessage,
} from '../src/kernel/protocol/message.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { MessageDataSchema, MessageSchema } from '../src/kernel/protocol/wire/message_pb.js'
import {
  castFields,
  compactFields,
  linkFields,
  reactionFields,
} from '../src/kernel/views/message-fields.ts'
import { effort } from './effort.ts'
import { bytes } from './hub-support.ts'
import { randomFrom, runSeed } from './random.ts'
import { CLIENT_LIBRARIES } from './stock-clients.ts'
import { WireMutations } from './wire-mutations.ts'

const SEED = runSeed()
const ENCODINGS = effort(10_000, 200_000)
const origin = { fid: 300, timestamp: 160_000_000, network: 1 }
const castId = { fid: 70_000, hash: bytes(20, 3) }
const claim = { address: bytes(20, 5), blockHash: bytes(32, 1) }

/** A valid message of each kind, with each of its fields. */
const TEMPLATES = [
  build.castAdd(origin, 'hello'),
  build.castAdd(origin, {
    text: 'hi \u{1f99c}',
    mentions: [1n, 4_000_000_000n],
    mentionsPositions: [0, 3],
    embeds: [
      { embed: { case: 'url', value: 'https://e' } },
      { embed: { case: 'castId', value: { fid: 9n, hash: bytes(20, 4) } } },
    ],
    parent: { case: 'parentCastId', value: { fid: 300n, hash: bytes(20, 3) } },
  }),
  build.castAdd(origin, {
    text: 'x'.repeat(400),
    type: 1,
    parent: { case: 'parentUrl', value: 'https://p' },
  }),
  build.castAdd({ ...origin, timestamp: 1_000 }, { text: 'a', embedsDeprecated: ['https://e'] }),
  build.castRemove(origin, bytes(20, 8)),
  build.reactionAdd(origin, 1, castId),
  build.reactionAdd(origin, 2, { url: 'https://r' }),
  build.reactionRemove(origin, 1, castId),
  build.linkAdd(origin, 'follow', 300),
  build.linkCompactState(origin, 'follow', [1, 300, 4_000_000_000]),
  build.userDataAdd(origin, 3, 'a bio'),
  build.verificationAddEth(origin, {
    ...claim,
    claimSignature: bytes(65, 1),
    verificationType: 1,
    chainId: 10,
  }),
  build.verificationRemove(origin, claim.address),
  build.usernameProof(origin, {
    name: 'a.eth',
    owner: bytes(20, 1),
    signature: bytes(65, 1),
    type: 2,
  }),
  build.frameAction(origin, {
    url: Buffer.from('https://f'),
    buttonIndex: 1,
    inputText: Buffer.from('t'),
    state: bytes(3, 1),
    transactionId: bytes(3, 1),
    address: bytes(20, 1),
    castId: { fid: 9n, hash: bytes(20, 4) },
  }),
]
const PLAIN = TEMPLATES.map((init) => toBinary(MessageDataSchema, create(MessageDataSchema, init)))

type Codec = {
  decode(bytes: Uint8Array): unknown
  encode(message: unknown): { finish(): Uint8Array }
}
type Library = { MessageData: Codec; Message: Codec; MessagesResponse: Codec }
const LIBRARIES = Object.entries({ ...CLIENT_LIBRARIES, core }) as unknown as [string, Library][]

const jsonOf = (value: unknown) =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'bigint' ? `${inner}n` : inner instanceof Uint8Array ? [...inner] : inner,
  )
/** What a decoder read, in one form for all. */
const readData = (data: Uint8Array) =>
  jsonOf(fromBinary(MessageDataSchema, data, { readUnknownFields: false }))

const neighbour = encodeEnvelope(build.buildMessage(TEMPLATES[0]!, bytes(32, 7)))
const TOKEN = bytes(3, 9)

/** What a client reads of the message in a page of messages, which follow each other without a gap. */
function readByClient({ MessagesResponse, MessageData }: Library, message: SignedMessage): string {
  const envelope = encodeEnvelope({ ...message, form: MESSAGE_FORMS.both })
  const page = concatBytes(bytesField(1, envelope), bytesField(1, neighbour), bytesField(2, TOKEN))
  const { messages, nextPageToken } = MessagesResponse.decode(page) as core.MessagesResponse
  const [first, second] = messages
  assert.equal(messages.length, 2)
  assert.equal(second?.data?.castAddBody?.text, 'hello')
  assert.deepEqual(Uint8Array.from(nextPageToken ?? []), TOKEN)
  // Clients on Node.js read from a Buffer, clients in browsers from an array, with another decoder of UTF-8.
  const data = MessageData.encode(MessageData.decode(Buffer.from(message.dataBytes))).finish()
  assert.deepEqual(data, MessageData.encode(first?.data).finish())
  return readData(data)
}

const out = new JsonBytes()
const writer = new MessageWriter(out, DEFAULT_JSON_OPTIONS)

/** What the hub and the views read from bytes without decoding them. */
function readByHub({ hash, signer, signature }: SignedMessage, data: Uint8Array) {
  out.clear()
  writer.write(Buffer.concat([hash, signer, signature, data]), MESSAGE_FORMS.data)
  const json = Buffer.from(out.written).toString()
  return [json, castFields(data), reactionFields(data), linkFields(data), compactFields(data)]
}

function checkReaders(message: SignedMessage): void {
  const { data, dataBytes } = message
  const what = `${Buffer.from(dataBytes).toString('hex')} of seed ${SEED}`
  for (const [version, library] of LIBRARIES) {
    let read: string
    try {
      read = readByClient(library, message)
    } catch (error) {
      read = String(error)
    }
    assert.equal(read, jsonOf(data), `${version} reads ${what}`)
  }
  const usual = toBinary(MessageDataSchema, data)
  assert.deepEqual(readByHub(message, dataBytes), readByHub(message, usual), what)
}

function readOrRefuse(envelope: Uint8Array): SignedMessage | Rejection {
  try {
    const message = decodeMessage(envelope)
    checkMessage(message, { now: origin.timestamp, network: origin.network, pro: true })
    return message
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
}

const envelopeOf = (dataBytes: Uint8Array, form: MessageForm) =>
  encodeEnvelope({
    dataBytes,
    form,
    hash: hashOf(dataBytes),
    hashScheme: 1,
    signature: bytes(64, 1),
    signatureScheme: 1,
    signer: bytes(32, 1),
  })

test('all published clients read a message alike that is accepted in an unusual encoding', (t) => {
  const random = randomFrom(SEED)
  const mutations = new WireMutations(random)
  const counts = { accepted: 0, unusual: 0, refused: 0 }
  for (let i = 0; i < ENCODINGS; i++) {
    const plain = random.pick(PLAIN)
    const isEnvelope = random.int(10) === 0
    const dataBytes = isEnvelope ? plain : mutations.of(MessageDataSchema, plain)
    const envelope = envelopeOf(dataBytes, random.pick(Object.values(MESSAGE_FORMS)))
    const message = readOrRefuse(isEnvelope ? mutations.of(MessageSchema, envelope) : envelope)
    if (message instanceof Rejection) {
      counts.refused++
      continue
    }
    counts.accepted++
    if (!equalBytes(dataBytes, plain)) counts.unusual++
    checkReaders(message)
  }
  t.diagnostic(`${ENCODINGS} encodings of seed ${SEED}: ${JSON.stringify(counts)}`)
  // The run is worth something only when many unusual encodings are accepted and many refused.
  assert.ok(counts.unusual > ENCODINGS / 20 && counts.refused > ENCODINGS / 20)
})

/** All code points but surrogates, which UTF-8 does not have. */
const LAST_CODE_POINT = 0x10_ffff
const SURROGATES = [0xd800, 0xdfff] as const
const CHARACTERS_IN_TEXT = 75
/** Every so many texts beyond the first planes of control characters and scripts. */
const STEP = effort(50, 1)
const DENSE_UNTIL = 0x3000

test('all published clients read every character of a text alike, control and unassigned ones too', () => {
  let read = 0
  for (let first = 0, n = 0; first <= LAST_CODE_POINT; first += CHARACTERS_IN_TEXT, n++) {
    if (first > DENSE_UNTIL && n % STEP !== 0) continue
    const codes = Array.from({ length: CHARACTERS_IN_TEXT }, (_, i) => first + i).filter(
      (code) => code <= LAST_CODE_POINT && (code < SURROGATES[0] || code > SURROGATES[1]),
    )
    if (codes.length === 0) continue
    const text = String.fromCodePoint(...codes)
    const half = String.fromCodePoint(...codes.slice(0, CHARACTERS_IN_TEXT / 2))
    const messages = [
      build.castAdd(origin, { text, parent: { case: 'parentUrl', value: half } }),
      build.castAdd(origin, { text, embeds: [{ embed: { case: 'url', value: half } }] }),
      build.reactionAdd(origin, 1, { url: half }),
      build.userDataAdd(origin, 3, half),
    ]
    for (const init of messages) {
      const dataBytes = toBinary(MessageDataSchema, create(MessageDataSchema, init))
      const message = readOrRefuse(envelopeOf(dataBytes, MESSAGE_FORMS.both))
      if (message instanceof Rejection) throw message
      checkReaders(message)
      read++
    }
  }
  assert.ok(read > 1_000)
})
