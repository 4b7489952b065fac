// Random and mutated messages, bodies and queries: no fault of ours, nothing stored that cannot
// be read, and no memory kept. TEST_SEED gives others, TEST_LONG=1 ten times as many.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { create, toBinary } from '@bufbuild/protobuf'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import {
  castAdd,
  type DataInit,
  frameAction,
  linkAdd,
  linkCompactState,
  reactionAdd,
  reactionRemove,
  userDataAdd,
  usernameProof,
  verificationAddEth,
  verificationRemove,
} from '../src/kernel/protocol/build.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import type { MessageForm, SignedMessage } from '../src/kernel/protocol/message.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import {
  HashScheme,
  MessageDataSchema,
  SignatureScheme,
} from '../src/kernel/protocol/wire/message_pb.js'
import { effort } from './effort.ts'
import { accepted, bytes, pathOf, readPages } from './hub-support.ts'
import { randomFrom, runSeed } from './random.ts'
import { createWorld, type TestAccount, type World } from './world.ts'

const SEED = runSeed()
const MESSAGES = effort(5_000, 190_000)
const REQUESTS = effort(300, 10_000)
const BATCH = 500
/** What may be kept between a tenth of the run and its end; a leak of one message each would be more. */
const HEAP_GROWTH_BYTES = 24 * 1024 * 1024

const { int: random, pick: oneOf } = randomFrom(SEED)
const randomBytes = (length: number) => Uint8Array.from({ length }, () => random(256))

/** Bytes that mean something to a decoder: tags, lengths, varints of every size. */
const TELLING = [
  ...[[0x00], [0x7f], [0x80], [0xff], [0x80, 0x01], [0x0a, 0x00], [0x12, 0x00], [0x3a, 0x00]],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x0a, 0xff, 0xff, 0xff, 0xff, 0x07],
  [0xed, 0xa0, 0x80],
  [0x2a, 0x06, 0x22, 0x04, 0x00, 0xf0, 0x9f, 0xa6],
].map((list) => Uint8Array.from(list))

/** Mostly one bit, which most decoders survive; else pieces in, out and over. */
function mutated(source: Uint8Array): Uint8Array {
  let result = Buffer.from(source)
  if (random(4) > 0) {
    const at = random(result.length)
    result[at] = (result[at] ?? 0) ^ (1 << random(8))
    return result
  }
  for (let n = 1 + random(3); n > 0; n--) {
    const at = random(result.length + 1)
    const piece = random(2) === 0 ? oneOf(TELLING) : randomBytes(1 + random(4))
    const rest = result.subarray(at + [0, 1, piece.length, random(40)][random(4)]!)
    result = Buffer.concat([result.subarray(0, at), ...(random(4) ? [piece] : []), rest])
  }
  return result
}

function templates(world: World, account: TestAccount): DataInit[] {
  const at = world.origin(account, 1_000 + random(5_000))
  const cast = { fid: 1 + random(4), hash: bytes(20, random(4)) }
  const claim = { address: bytes(20, random(5)), blockHash: bytes(32, 1) }
  return [
    castAdd(at, `cast ${random(1_000_000)}`),
    castAdd(at, {
      text: 'hi \u{1f99c}',
      mentions: [1n, 2n],
      mentionsPositions: [0, 3],
      embeds: [{ embed: { case: 'url', value: 'https://e' } }],
      parent: { case: 'parentUrl', value: 'https://p' },
    }),
    reactionAdd(at, 1 + random(2), random(2) ? cast : { url: 'https://r' }),
    reactionRemove(at, 1, cast),
    linkAdd(at, 'follow', 1 + random(300)),
    linkCompactState(at, 'follow', [1, 2, 3]),
    userDataAdd(at, 1 + random(14), oneOf(['', 'x', 'geo:1.00,2.00', 'someone'])),
    verificationAddEth(at, { ...claim, claimSignature: bytes(65, 1) }),
    verificationRemove(at, claim.address),
    usernameProof(at, { name: 'a.eth', owner: bytes(20, 1), signature: bytes(65, 1), type: 2 }),
    frameAction(at, { url: Buffer.from('https://f'), buttonIndex: 1 }),
  ]
}

/** Noise, a broken envelope, or broken data that is hashed and signed as if it were whole. */
function strange(world: World, account: TestAccount): Uint8Array {
  const kind = random(20)
  if (kind === 0) return randomBytes(random(200))
  const data = toBinary(
    MessageDataSchema,
    create(MessageDataSchema, oneOf(templates(world, account))),
  )
  const dataBytes = kind < 8 ? data : mutated(data)
  const hash = hashOf(dataBytes)
  const envelope = encodeEnvelope({
    dataBytes,
    form: (1 + random(3)) as MessageForm,
    hash,
    hashScheme: HashScheme.BLAKE3,
    signature: signEd25519(hash, account.seed),
    signatureScheme: SignatureScheme.ED25519,
    signer: account.key,
  })
  return kind < 8 ? mutated(envelope) : envelope
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function heapBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

describe(`${MESSAGES + REQUESTS} random inputs of seed ${SEED}`, () => {
  let world: World
  let accounts: TestAccount[]
  before(async () => {
    world = await createWorld()
    accounts = await world.accounts([1, 2, 3], { units: 2 })
  })
  after(() => world.close())

  test('random messages are merged or refused with a reason, and leak no memory', async () => {
    const outcomes = new Map<string, number>()
    const count = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1)
    let early = 0
    for (let done = 0; done < MESSAGES; done += BATCH) {
      if (done === MESSAGES / 10) early = await heapBytes()
      const readable = Array.from({ length: BATCH }, () => strange(world, oneOf(accounts)))
        .map(readOrRefuse)
        .filter((one) => {
          if (one instanceof Rejection) count(one.code)
          return !(one instanceof Rejection)
        }) as SignedMessage[]
      const outcomes = await submitMessages(world.app.hub, readable)
      for (const one of outcomes) count(one instanceof Rejection ? one.code : 'merged')
    }
    const growth = (await heapBytes()) - early
    assert.ok(growth < HEAP_GROWTH_BYTES, `${growth} bytes more than early on`)
    const faults = [...outcomes.keys()].filter((code) => /^(unavailable|internal)/.test(code))
    assert.deepEqual(faults, [])
    // The run is worth something only when all of this happened in it, often.
    for (const what of ['merged', 'bad_request.parse_failure', 'bad_request.validation_failure']) {
      assert.ok((outcomes.get(what) ?? 0) > MESSAGES / 100, `${what}: ${outcomes.get(what)}`)
    }
  })

  test('random bodies and queries are answered in JSON without internal errors', async () => {
    const { paths } = accepted(await world.get('/openapi.json'))
    const reads = Object.entries(paths as Record<string, { get?: { parameters?: Parameter[] } }>)
      .filter(([path, { get }]) => path.startsWith('/v1/') && get)
      .map(([path, { get }]) => ({ path, names: (get!.parameters ?? []).map(({ name }) => name) }))
    const statuses = new Map<number, number>()
    const ask = async () => {
      const [path, init] = random(2) ? strangeQuery(reads) : strangePost(world, accounts)
      const response = await fetch(world.app.urls.hub + path, init)
      // A stream of events does not end.
      const isEndless = response.headers.get('content-type') === 'text/event-stream'
      if (isEndless) await response.body?.cancel()
      const text = isEndless ? '{}' : await response.text()
      const what = `${response.status} for ${path}: ${text.slice(0, 200)}`
      assert.ok(response.status < 500, what)
      assert.equal(typeof JSON.parse(text), 'object', what)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    }
    for (let done = 0; done < REQUESTS; done += 20) {
      await Promise.all(Array.from({ length: 20 }, ask))
    }
    for (const status of [200, 400, 404, 415])
      assert.ok((statuses.get(status) ?? 0) > REQUESTS / 400, `${status}`)
  })

  test('every stored message can be read in every list and event', async () => {
    let messages = 0
    for (const { fid } of accounts) {
      for (const kind of ['casts', 'reactions', 'links', 'userData', 'verifications']) {
        const params = { fid, include_removes: true }
        messages += (await readPages(world, `/v1/${kind}ByFid`, params)).flat().length
      }
    }
    assert.ok(messages > 300)
    let from = 0
    for (let next = -1; next !== from; ) {
      from = Math.max(next, 0)
      const body = accepted(await world.get(pathOf('/v1/events', { from_event_id: from })))
      next = body.nextPageEventId
      for (const { mergeMessageBody } of body.events) {
        if (mergeMessageBody) assert.ok(mergeMessageBody.message.hash)
      }
    }
  })
})

type Parameter = { name: string }

function readOrRefuse(source: Uint8Array): SignedMessage | Rejection {
  try {
    return decodeMessage(source)
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
}

const VALUES = [
  ...['', '0', '1', '2', '-1', '4294967295', '4294967296', '1e9', '9'.repeat(30), 'NaN', 'null'],
  ...['true', 'false', 'like', 'REACTION_TYPE_RECAST', 'follow', 'EVENT_TYPE_SIGNER', 'bio', '%00'],
  ...[`0x${'01'.repeat(20)}`, '01'.repeat(32), '0x', 'zz', 'AAAA', 'AAAAAAAA', '%E0%A4%A', '%ff'],
  ...['a'.repeat(300), 'a.eth', '__proto__', '[]', '{"a":1}', 'https://p', '\u{1f99c}', "'--", '+'],
]

function strangeQuery(reads: { path: string; names: string[] }[]): [string, RequestInit] {
  const { path, names } = oneOf(reads)
  const parts = names
    .filter(() => random(5) > 0)
    .map((name) => {
      const token = Buffer.from(randomBytes(oneOf([4, 8, 24, 28, 32]))).toString('base64')
      const value = name === 'pageToken' && random(2) ? encodeURIComponent(token) : oneOf(VALUES)
      return `${random(20) ? name : oneOf(VALUES)}=${value}`
    })
  return [`${path}?${parts.join(oneOf(['&', '&', '&', '&&', ';']))}`, {}]
}

function strangePost(world: World, accounts: TestAccount[]): [string, RequestInit] {
  const path = oneOf(['submitMessage', 'validateMessage', 'submitBulkMessages'])
  const one = () => strange(world, oneOf(accounts))
  const list = () => {
    const message = one()
    const length = [0x0a, (message.length & 0x7f) | 0x80, message.length >> 7]
    return Buffer.concat([Uint8Array.from(length), message])
  }
  const body = path === 'submitBulkMessages' ? Buffer.concat([list(), list()]) : one()
  const type = random(20) ? 'application/octet-stream' : oneOf(['text/plain', 'application/json'])
  const headers = { 'content-type': type }
  return [`/v1/${path}`, { method: 'POST', headers, body: Uint8Array.from(body) }]
}
