// Our stateless rules against those of the published client library, over generated and mutated
// messages of every type. Where the two part, DIFFERENCES says why; anything else is a failure.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as core from '@farcaster/core'
import { base58 } from '@scure/base'
import { checkMessage } from '../src/kernel/protocol/check.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { publicKeyOf, signEd25519, verifyEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { signTypedData, verificationClaimTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { Rejection } from '../src/kernel/protocol/rejection.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { effort } from './effort.ts'

const SEED = 20_260_101
const MESSAGES = effort(4_000, 20_000)
const MUTATED_BYTES = effort(150, 4_000)
const NETWORK = 1
const START_MS = Date.now()
const NOW = networkTime(START_MS)

type Data = core.MessageData
type Verdict = { accepted: boolean; text: string }
type Difference = {
  readonly why: string
  readonly weAccept: boolean
  readonly applies: (data: Data, ours: Verdict) => boolean
}

/** Every way in which the two may disagree. A difference that never shows up fails the test too. */
const DIFFERENCES: readonly Difference[] = [
  {
    why: 'a hub serves one network; the library takes any it knows',
    weAccept: false,
    applies: (_, ours) => /^(incorrect|invalid) network/.test(ours.text),
  },
  {
    why: 'reaction type NONE would only fail when merged; we refuse it at once',
    weAccept: false,
    applies: (data, ours) => ours.text === 'invalid reaction type' && data.reactionBody?.type === 0,
  },
  {
    why: 'link types are padded with zero bytes in keys, so they must not contain any',
    weAccept: false,
    applies: (_, ours) => ours.text === 'type must not contain NUL',
  },
  {
    why: 'fids are four bytes in every index; larger ones would be cut silently',
    weAccept: false,
    applies: (_, ours) => ours.text.includes('fid must be below 2^32'),
  },
  {
    why: '10k casts and banners need the paid tier, which the library knows nothing of',
    weAccept: false,
    applies: (_, ours) => ours.text === 'Pro subscription required',
  },
  {
    why: 'data is limited by type as in the deployed hubs; the library allows 65536 bytes for all',
    weAccept: false,
    applies: (_, ours) => /^dataBytes > \d+ bytes$/.test(ours.text),
  },
  {
    why: 'a proof of an ENS name must not be for a basename, nor the reverse',
    weAccept: false,
    applies: (data, ours) =>
      data.usernameProofBody !== undefined && ours.text.endsWith('unsupported subdomain'),
  },
  {
    why: 'newer hubs refuse a compact state of nothing',
    weAccept: false,
    applies: (data, ours) =>
      data.linkCompactStateBody !== undefined && ours.text === 'target is missing',
  },
  {
    why: 'the library checks neither the checksum nor the form of primary addresses and tokens',
    weAccept: false,
    applies: (data) => [11, 12, 13].includes(data.userDataBody?.type ?? 0),
  },
]

// A small generator with a seed of its own (mulberry32), so that a failure can be run again.
let state = SEED
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}
const below = (n: number) => Math.floor(random() * n)
const chance = (p: number) => random() < p
function pick<T>(items: readonly T[]): T {
  return items[below(items.length)]!
}
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => below(256))
const list = <T>(length: number, item: (i: number) => T): T[] =>
  Array.from({ length }, (_, i) => item(i))

const SEEDS = list(8, () => bytes(32))
const ETH_KEYS = list(4, () => bytes(32))
const LETTERS = ['a', 'z', '0', '-', '_', ' ', 'é', '한', '👋', '\u0301', '\0', '.', 'A']

function textOf(byteLength: number): string {
  let text = ''
  while (Buffer.byteLength(text) < byteLength) text += chance(0.9) ? 'x' : pick(LETTERS)
  return text
}
const fid = () => (chance(0.97) ? pick([1, 2, 255, 65_536, 12_345, 4_294_967_295]) : 0)
const oddFid = () => (chance(0.98) ? fid() : 4_294_967_296)
const hash = () => bytes(chance(0.96) ? 20 : pick([0, 19, 21]))
const url = () => (chance(0.9) ? 'https://example.org/a' : textOf(pick([0, 1, 255, 256, 257])))
const castId = () => ({ fid: oddFid(), hash: hash() })
const timestamp = () =>
  pick([
    0,
    1,
    73_612_799,
    73_612_800,
    160_000_000,
    NOW - 10,
    NOW,
    NOW + 500,
    ...(chance(0.1) ? [NOW + 700] : []),
  ])

function castAdd(): Partial<Data> {
  const type = pick([0, 0, 0, 0, 1, 1, 2, ...(chance(0.1) ? [3] : [])])
  const length = chance(0.3)
    ? pick([0, 1, 319, 320, 321, 322, 1023, 1024, 1025, 1026, 1900, 2100, 10_000, 10_001])
    : type === 0
      ? below(330)
      : 321 + below(720)
  const text = textOf(length)
  const mentions = chance(0.6) ? 0 : chance(0.9) ? below(4) : pick([9, 10, 11])
  const positions = list(mentions, () => below(Buffer.byteLength(text) + 1)).sort((a, b) => a - b)
  if (chance(0.03)) positions.reverse()
  if (chance(0.03)) positions.push(Buffer.byteLength(text) + 1)
  const embeds = chance(0.6) ? 0 : chance(0.8) ? 1 : pick([2, 3, 4, 5])
  return {
    castAddBody: {
      embedsDeprecated: chance(0.1) ? list(pick([1, 2, 3]), url) : [],
      mentions: list(mentions, oddFid),
      parentCastId: chance(0.2) ? castId() : undefined,
      parentUrl: chance(0.1) ? url() : undefined,
      text,
      mentionsPositions: positions,
      embeds: list(embeds, () =>
        chance(0.02)
          ? pick([{}, { url: 'a', castId: { fid: 1, hash: bytes(20) } }])
          : chance(0.5)
            ? { url: url() }
            : { castId: castId() },
      ),
      type,
    },
  }
}

function reaction(): Partial<Data> {
  const targets = chance(0.97) ? pick([1, 2]) : pick([0, 3])
  return {
    reactionBody: {
      type: (chance(0.95) ? pick([1, 2]) : pick([0, 3])) as core.ReactionType,
      targetCastId: targets & 1 ? castId() : undefined,
      targetUrl: targets & 2 ? url() : undefined,
    },
  }
}

const linkType = () =>
  chance(0.9)
    ? pick(['follow', 'block', 'a', '12345678', 'é한'])
    : pick(['', '123456789', '한한한', 'a\0'])

function link(): Partial<Data> {
  return {
    linkBody: {
      type: linkType(),
      displayTimestamp: chance(0.2) ? below(2 ** 32) : undefined,
      targetFid: chance(0.97) ? oddFid() : undefined,
    },
  }
}

function compactState(): Partial<Data> {
  return { linkCompactStateBody: { type: linkType(), targetFids: list(below(40), oddFid) } }
}

const NAMES = [
  'alice',
  'a',
  'a-b',
  '0',
  '1234567890123456',
  '12345678901234567',
  'Alice',
  '-a',
  'a_b',
  'é',
  'a b',
  'alice.eth',
  'xn--a.eth',
  'a.b.eth',
  '1234567890123456.eth',
  '12345678901234567.eth',
  'alice.base.eth',
  '1234567890123456.base.eth',
  '12345678901234567.base.eth',
  'alice.foo.eth',
  '.eth',
  'base.eth',
  '.base.eth',
  'a.eth.eth',
]
const USER_DATA: Readonly<Record<number, readonly string[]>> = {
  6: ['', ...NAMES],
  7: [
    '',
    'geo:12.34,56.78',
    'geo:-90.00,180.00',
    'geo:90.01,0.00',
    'geo:1.2,3.45',
    'geo:0.00,-180.01',
    'geo:12.34, 56.78',
    'x',
    'geo:-0.00,-0.00',
    'geo:12.34,56.78\n',
  ],
  8: ['', 'alice', 'a_1', 'Alice', '123456789012345', '1234567890123456', 'a-b', 'é'],
  9: [
    '',
    'alice',
    'Alice-B',
    'a--b',
    '-a',
    'a-',
    textOf(0).padEnd(38, 'a'),
    ''.padEnd(39, 'a'),
    'a_b',
  ],
  11: [
    '',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    'x',
  ],
  12: ['', base58.encode(new Uint8Array(32).fill(9)), 'x', '0OIl'],
  13: ['', 'eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f', 'x'],
}

function userData(): Partial<Data> {
  const type = chance(0.9)
    ? pick([1, 2, 3, 5, 6, 6, 7, 8, 9, 14])
    : pick([0, 4, 10, 11, 12, 13, 15])
  const values = USER_DATA[type]
  const value = values ? pick(values) : textOf(pick([0, 1, 31, 32, 33, 255, 256, 257]))
  return { userDataBody: { type, value } }
}

function verificationAdd({ fid, network }: { fid: number; network: number }): Partial<Data> {
  if (chance(0.4)) return solanaVerification(fid, network)
  const key = pick(ETH_KEYS)
  const address = addressOfPrivateKey(key)
  const blockHash = bytes(chance(0.97) ? 32 : pick([0, 31, 33]))
  let claimSignature: Uint8Array = bytes(pick([0, 64, 65, 66, 2049]))
  if (chance(0.85) && blockHash.length === 32 && fid <= 2 ** 32) {
    const claim = { fid, address, blockHash, network: chance(0.97) ? network : network + 1 }
    claimSignature = signTypedData(verificationClaimTypedData(claim), key)
    if (chance(0.2)) claimSignature[64]! -= 27
    if (chance(0.05)) claimSignature[below(65)]! ^= 1 << below(8)
  }
  return {
    verificationAddAddressBody: {
      address: chance(0.97) ? address : bytes(pick([0, 19, 20, 21, 32])),
      claimSignature,
      blockHash,
      verificationType: chance(0.97) ? 0 : 2,
      chainId: chance(0.97) ? 0 : pick([1, 10, 2]),
      protocol: 0,
    },
  }
}

function solanaVerification(fid: number, network: number): Partial<Data> {
  const seed = pick(SEEDS)
  const address = publicKeyOf(seed)
  const blockHash = bytes(chance(0.97) ? 32 : pick([0, 31]))
  const text = `fid: ${fid} address: ${base58.encode(address)} network: ${network} blockHash: ${base58.encode(blockHash)} protocol: 1`
  const claimSignature = signEd25519(Buffer.from(text), seed)
  if (chance(0.1)) claimSignature[below(64)]! ^= 1 << below(8)
  return {
    verificationAddAddressBody: {
      address: chance(0.97) ? address : bytes(pick([0, 20, 31])),
      claimSignature: chance(0.97) ? claimSignature : bytes(63),
      blockHash,
      verificationType: 0,
      chainId: 0,
      protocol: (chance(0.98) ? 1 : 2) as core.Protocol,
    },
  }
}

function verificationRemove(): Partial<Data> {
  const protocol = (chance(0.97) ? pick([0, 1]) : 2) as core.Protocol
  const length = chance(0.95) ? (protocol === 1 ? 32 : 20) : pick([0, 20, 31, 32])
  return { verificationRemoveBody: { address: bytes(length), protocol } }
}

function usernameProof({ fid, timestamp }: { fid: number; timestamp: number }): Partial<Data> {
  const name = pick(['alice.eth', 'alice.base.eth', 'a-1.eth', ...NAMES])
  return {
    usernameProofBody: {
      timestamp: timestamp + 1_609_459_200 + (chance(0.95) ? 0 : 1),
      name: Buffer.from(name),
      owner: bytes(20),
      signature: bytes(pick([0, 65, 300])),
      fid: chance(0.95) ? fid : fid + 1,
      type: (chance(0.8)
        ? name.endsWith('.base.eth')
          ? 3
          : 2
        : pick([0, 1, 2, 3, 4])) as core.UserNameType,
    },
  }
}

function frameAction(): Partial<Data> {
  return {
    frameActionBody: {
      url: Buffer.from(
        chance(0.9) ? 'https://example.org' : textOf(pick([0, 1, 1023, 1024, 1025])),
      ),
      buttonIndex: chance(0.95) ? below(6) : 6,
      castId: chance(0.5) ? castId() : undefined,
      inputText: bytes(chance(0.9) ? below(20) : pick([255, 256, 257])),
      state: bytes(chance(0.9) ? below(20) : pick([1000, 4096, 4097])),
      transactionId: bytes(chance(0.9) ? 0 : pick([256, 257])),
      address: bytes(chance(0.9) ? pick([0, 20]) : pick([63, 64, 65])),
    },
  }
}

function lendStorage(): Partial<Data> {
  return { lendStorageBody: { toFid: 1, numUnits: 1, unitType: 0 } }
}

type Origin = { fid: number; timestamp: number; network: number }
const KINDS: readonly [number, (origin: Origin) => Partial<Data>][] = [
  [1, castAdd],
  [2, () => ({ castRemoveBody: { targetHash: hash() } })],
  [3, reaction],
  [4, reaction],
  [5, link],
  [6, link],
  [7, verificationAdd],
  [8, verificationRemove],
  [11, userData],
  [12, usernameProof],
  [13, frameAction],
  [14, compactState],
]

function generate(): Data {
  const kind = pick(KINDS)
  const origin = {
    fid: oddFid(),
    timestamp: timestamp(),
    network: chance(0.97) ? NETWORK : pick([0, 2, 3, 4]),
  }
  const data = core.MessageData.create({ ...origin, type: kind[0] as core.MessageType })
  Object.assign(data, kind[1](origin))
  if (chance(0.02)) Object.assign(data, pick(KINDS)[1](origin)) // a second body, or the same anew
  if (chance(0.02)) data.type = pick([0, 1, 2, 3, 5, 9, 12, 16, 99]) as core.MessageType
  if (chance(0.005)) {
    const { fid, network } = origin
    return core.MessageData.create({ fid, timestamp: NOW, network, type: 15, ...lendStorage() })
  }
  return data
}

function envelope(dataBytes: Uint8Array): core.Message {
  const seed = pick(SEEDS)
  const hash = hashOf(dataBytes)
  const message = core.Message.create({
    hash,
    hashScheme: 1,
    signature: signEd25519(hash, seed),
    signatureScheme: 1,
    signer: publicKeyOf(seed),
    dataBytes,
  })
  if (chance(0.12)) spoil(message)
  return message
}

function spoil(message: core.Message): void {
  const flip = (part: Uint8Array) => {
    const copy = Uint8Array.from(part)
    copy[below(copy.length)]! ^= 1 << below(8)
    return copy
  }
  pick([
    () => {
      message.hash = flip(message.hash)
    },
    () => {
      message.hash = bytes(pick([0, 19, 32]))
    },
    () => {
      message.hashScheme = pick([0, 2]) as core.HashScheme
    },
    () => {
      message.signature = flip(message.signature)
    },
    () => {
      message.signature = bytes(pick([0, 63, 65]))
    },
    () => {
      message.signatureScheme = pick([0, 2, 3]) as core.SignatureScheme
    },
    () => {
      message.signer = flip(message.signer)
    },
    () => {
      message.signer = bytes(pick([0, 31, 33]))
    },
    () => {
      message.signature = signEd25519(message.dataBytes!, SEEDS[0]!)
    },
  ])()
}

function ourVerdict(wire: Uint8Array): Verdict {
  try {
    const message = decodeMessage(wire)
    checkMessage(message, { now: NOW, network: NETWORK })
    const signed = verifyEd25519(message.signature, message.hash, message.signer)
    return { accepted: signed, text: signed ? '' : 'invalid signature' }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return { accepted: false, text: error.message }
  }
}

/** As deployed hubs do: data bytes are the only truth, then the library's own rules. */
async function theirVerdict(wire: Uint8Array): Promise<Verdict & { data?: Data }> {
  try {
    const message = core.Message.decode(wire)
    const data = core.MessageData.decode(message.dataBytes!)
    const result = await core.validations.validateMessage({ ...message, data })
    return { accepted: result.isOk(), text: result.isErr() ? result.error.message : '', data }
  } catch (error) {
    return { accepted: false, text: String(error) }
  }
}

test(`server and client library agree on ${MESSAGES} generated messages`, async (t) => {
  // The library reads the machine's clock, which goes on while the messages are generated.
  t.mock.timers.enable({ apis: ['Date'], now: START_MS })
  const seen = new Map<Difference, number>()
  let accepted = 0
  for (let i = 0; i < MESSAGES; i++) {
    const data = generate()
    const wire = core.Message.encode(envelope(core.MessageData.encode(data).finish())).finish()
    const ours = ourVerdict(wire)
    const theirs = await theirVerdict(wire)
    if (ours.accepted && theirs.accepted) accepted++
    if (ours.accepted === theirs.accepted) continue
    const difference = DIFFERENCES.find(
      (known) => known.weAccept === ours.accepted && known.applies(data, ours),
    )
    const story = `seed ${SEED} message ${i}: ours "${ours.text}" theirs "${theirs.text}"`
    assert.ok(difference, `${story} ${JSON.stringify(core.MessageData.toJSON(data))}`)
    seen.set(difference, (seen.get(difference) ?? 0) + 1)
  }
  assert.ok(accepted > MESSAGES / 4, `only ${accepted} messages were valid for both`)
  for (const known of DIFFERENCES) {
    t.diagnostic(`${seen.get(known) ?? 0} x ${known.why}`)
    assert.ok(seen.has(known), `a known difference did not show: ${known.why}`)
  }
})

test('data with mutated bytes that the client library refuses is never accepted', async () => {
  for (let i = 0; i < MUTATED_BYTES; i++) {
    const dataBytes = Uint8Array.from(core.MessageData.encode(generate()).finish())
    for (let n = 1 + below(2); n > 0; n--) dataBytes[below(dataBytes.length)] = below(256)
    const wire = core.Message.encode(envelope(dataBytes)).finish()
    if (!ourVerdict(wire).accepted) continue
    const theirs = await theirVerdict(wire)
    const story = `seed ${SEED} message ${i}: ${Buffer.from(wire).toString('hex')}`
    assert.ok(theirs.accepted, `${story}: ${theirs.text}`)
  }
})

test('messages signed by the builders of the client library are accepted in all three forms', async () => {
  const signer = new core.NobleEd25519Signer(SEEDS[0]!)
  const options = { fid: 12_345, network: NETWORK }
  const target = { fid: 2, hash: bytes(20) }
  const built = [
    await core.makeCastAdd(
      {
        text: 'hi',
        embeds: [{ url: 'https://a' }],
        embedsDeprecated: [],
        mentions: [3],
        mentionsPositions: [2],
        parentUrl: 'chain://eip155:1/erc721:0x1',
        type: 0,
      },
      options,
      signer,
    ),
    await core.makeCastRemove({ targetHash: target.hash }, options, signer),
    await core.makeReactionAdd({ type: 1, targetCastId: target }, options, signer),
    await core.makeReactionRemove({ type: 2, targetUrl: 'https://a' }, options, signer),
    await core.makeLinkAdd({ type: 'follow', targetFid: 2 }, options, signer),
    await core.makeLinkRemove({ type: 'follow', targetFid: 2 }, options, signer),
    await core.makeLinkCompactState({ type: 'follow', targetFids: [2, 3] }, options, signer),
    await core.makeUserDataAdd({ type: 2, value: 'Alice' }, options, signer),
    await core.makeVerificationRemove({ address: bytes(20), protocol: 0 }, options, signer),
    await core.makeFrameAction(
      {
        url: Buffer.from('https://a'),
        buttonIndex: 1,
        inputText: bytes(0),
        castId: target,
        state: bytes(0),
        transactionId: bytes(0),
        address: bytes(0),
      },
      options,
      signer,
    ),
  ]
  for (const result of built) {
    const message = result._unsafeUnwrap()
    for (const form of [
      message,
      { ...message, data: undefined },
      { ...message, dataBytes: undefined },
    ]) {
      const wire = core.Message.encode(form as core.Message).finish()
      assert.deepEqual(ourVerdict(wire), { accepted: true, text: '' })
    }
  }
})
