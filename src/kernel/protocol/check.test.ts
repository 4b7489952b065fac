// Every rule at its edges: the last value that passes and the first that does not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base58 } from '@scure/base'
import * as build from './build.ts'
import { type CheckContext, checkMessage, isContractClaim } from './check.ts'
import { concatBytes, toUtf8 } from './codec/bytes.ts'
import { decodeMessage } from './codec/decode.ts'
import { encodeEnvelope } from './codec/envelope.ts'
import { publicKeyOf, signEd25519 } from './crypto/ed25519.ts'
import { signEthClaim } from './crypto/eip712.ts'
import { hashOf } from './crypto/hash.ts'
import { addressOfPrivateKey } from './crypto/secp256k1.ts'
import { solanaClaim } from './crypto/verification-claim.ts'
import { EMBEDS_DEPRECATED_UNTIL } from './kinds/cast-add.ts'
import { UNSUPPORTED_TYPES } from './kinds/kinds.ts'
import type { SignedMessage } from './message.ts'
import { Rejection } from './rejection.ts'
import {
  CastType,
  MessageType,
  type Protocol,
  ReactionType,
  UserDataType,
  type UserNameType,
} from './wire/message_pb.js'

const NOW = 160_000_000
const context: CheckContext = { now: NOW, network: 1 }
const pro: CheckContext = { ...context, pro: true }
const origin = { fid: 12345, timestamp: NOW, network: 1 }
const seed = new Uint8Array(32).fill(7)
const fill = (length: number, byte = 1) => new Uint8Array(length).fill(byte)
const castId = { fid: 2n, hash: fill(20) }

/** The code, text and field of the refusal, "code: text @ field"; 'accepted' when there is none. */
function verdict(message: SignedMessage, checks: CheckContext = context): string {
  try {
    checkMessage(message, checks)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return `${error.code.replace('bad_request.', '')}: ${error.message} @ ${error.field}`
  }
}

const signed = (init: build.DataInit) => build.buildMessage(init, seed)
const judge = (init: build.DataInit, checks?: CheckContext) => verdict(signed(init), checks)
type Cast = Parameters<typeof build.castAdd>[1]
const cast = (body: Cast, checks?: CheckContext) => judge(build.castAdd(origin, body), checks)

/** A message around raw data bytes, for what no builder makes. */
function raw(...dataBytes: number[]): SignedMessage {
  const bytes = Uint8Array.from(dataBytes)
  const hash = hashOf(bytes)
  const signature = signEd25519(hash, seed)
  return decodeMessage(
    encodeEnvelope({
      ...signed(build.castAdd(origin, 'a')),
      dataBytes: bytes,
      hash,
      signature,
      form: 2,
    }),
  )
}

type Row = readonly [name: string, actual: () => string, expected: string]

function table(title: string, rows: readonly Row[]): void {
  for (const [name, actual, expected] of rows) {
    test(`${title}: ${name}`, () => assert.equal(actual(), expected))
  }
}

const LONG = { type: CastType.LONG_CAST }
const TEN_K = { type: CastType.TEN_K_CAST }
const text = (length: number) => 'x'.repeat(length)

table('cast text', [
  ['320 bytes', () => cast(text(320)), 'accepted'],
  ['321 bytes', () => cast(text(321)), 'validation_failure: text > 320 bytes @ castAddBody.text'],
  ['80 emoji are 320 bytes', () => cast('👋'.repeat(80)), 'accepted'],
  [
    '80 emoji and a letter',
    () => cast(`${'👋'.repeat(80)}a`),
    'validation_failure: text > 320 bytes @ castAddBody.text',
  ],
  [
    '160 combining marks and 1',
    () => cast(`${'\u0301'.repeat(160)}a`),
    'validation_failure: text > 320 bytes @ castAddBody.text',
  ],
  [
    'long, 320 bytes',
    () => cast({ text: text(320), ...LONG }),
    'validation_failure: text too short for long cast @ castAddBody.text',
  ],
  ['long, 321 bytes', () => cast({ text: text(321), ...LONG }), 'accepted'],
  ['long, 1024 bytes', () => cast({ text: text(1024), ...LONG }), 'accepted'],
  [
    'long, 1025 bytes',
    () => cast({ text: text(1025), ...LONG }),
    'validation_failure: text > 1024 bytes for long cast @ castAddBody.text',
  ],
  [
    '10k without the tier',
    () => cast({ text: text(1025), ...TEN_K }),
    'validation_failure: Pro subscription required @ castAddBody.type',
  ],
  [
    '10k, 1024 bytes',
    () => cast({ text: text(1024), ...TEN_K }, pro),
    'validation_failure: text too short for 10k cast @ castAddBody.text',
  ],
  ['10k, 1025 bytes', () => cast({ text: text(1025), ...TEN_K }, pro), 'accepted'],
  ['10k, 10000 bytes', () => cast({ text: text(10_000), ...TEN_K }, pro), 'accepted'],
  [
    '10k, 10001 bytes',
    () => cast({ text: text(10_001), ...TEN_K }, pro),
    'validation_failure: text > 10,000 bytes for 10k cast @ castAddBody.text',
  ],
  [
    'unknown type',
    () => cast({ text: 'a', type: 3 as CastType }),
    'validation_failure: invalid cast type @ castAddBody.type',
  ],
  ['nothing at all', () => cast(''), 'validation_failure: cast is empty @ castAddBody'],
  [
    'nothing but a parent',
    () => cast({ parent: { case: 'parentUrl', value: 'a' } }),
    'validation_failure: cast is empty @ castAddBody',
  ],
  ['nothing but an embed', () => cast({ embeds: embeds(1) }), 'accepted'],
  ['nothing but a mention', () => cast({ mentions: [1n], mentionsPositions: [0] }), 'accepted'],
])

function embeds(n: number) {
  return Array.from({ length: n }, () => ({ embed: { case: 'url', value: 'a' } as const }))
}
const embed = (value: string) => cast({ embeds: [{ embed: { case: 'url', value } }] })
const oldCast = (urls: string[], timestamp: number) =>
  judge(build.castAdd({ ...origin, timestamp }, { embedsDeprecated: urls }))
const LAST_OLD = EMBEDS_DEPRECATED_UNTIL - 1

table('cast embeds', [
  ['4', () => cast({ embeds: embeds(4) }), 'accepted'],
  ['5', () => cast({ embeds: embeds(5) }), 'validation_failure: embeds > 4 @ castAddBody.embeds'],
  ['a url of 256 bytes', () => embed(text(256)), 'accepted'],
  [
    'a url of 257 bytes',
    () => embed(text(257)),
    'invalid_param: url > 256 bytes @ castAddBody.embeds[0].url',
  ],
  ['an empty url', () => embed(''), 'invalid_param: url < 1 byte @ castAddBody.embeds[0].url'],
  [
    'nothing inside',
    () => cast({ text: 'a', embeds: [{}] }),
    'validation_failure: embed must have either url or castId @ castAddBody.embeds[0]',
  ],
  ['a cast', () => cast({ embeds: [{ embed: { case: 'castId', value: castId } }] }), 'accepted'],
  [
    'a cast without fid and hash',
    () => cast({ embeds: [{ embed: { case: 'castId', value: {} } }] }),
    'validation_failure: fid is missing, hash is missing @ castAddBody.embeds[0].castId.fid',
  ],
  ['old strings, a second before the end', () => oldCast(['a', 'b'], LAST_OLD), 'accepted'],
  [
    'old strings, three',
    () => oldCast(['a', 'b', 'c'], LAST_OLD),
    'validation_failure: string embeds > 2 @ castAddBody.embedsDeprecated',
  ],
  [
    'old strings, at the end',
    () => oldCast(['a'], EMBEDS_DEPRECATED_UNTIL),
    'validation_failure: string embeds have been deprecated @ castAddBody.embedsDeprecated',
  ],
  [
    'old and new',
    () => cast({ embeds: embeds(1), embedsDeprecated: ['a'] }),
    'validation_failure: cannot use both embeds and string embeds @ castAddBody.embedsDeprecated',
  ],
  [
    'url and cast in one',
    () => verdict(raw(8, 1, 16, 1, 24, 1, 32, 1, 0x2a, 9, 0x32, 7, 0x0a, 1, 65, 0x12, 2, 8, 1)),
    'validation_failure: cannot use both url and castId @ castAddBody.embeds',
  ],
])

const mention = (positions: number[], body: string, n = positions.length) =>
  cast({ text: body, mentions: Array.from({ length: n }, () => 3n), mentionsPositions: positions })

table('cast mentions', [
  ['10', () => mention(Array(10).fill(0), 'a'), 'accepted'],
  [
    '11',
    () => mention(Array(11).fill(0), 'a'),
    'validation_failure: mentions > 10 @ castAddBody.mentions',
  ],
  [
    'one position too few',
    () => mention([0], 'a', 2),
    'validation_failure: mentions and mentionsPositions must match @ castAddBody.mentionsPositions',
  ],
  ['at the end of an emoji', () => mention([4], '👋'), 'accepted'],
  ['inside an emoji', () => mention([2], '👋'), 'accepted'],
  [
    'past the end of an emoji',
    () => mention([5], '👋'),
    'validation_failure: mentionsPositions must be a position in text @ castAddBody.mentionsPositions[0]',
  ],
  ['the same place twice', () => mention([1, 1], 'ab'), 'accepted'],
  [
    'out of order',
    () => mention([0, 2, 1], 'abc'),
    'validation_failure: mentionsPositions must be sorted in ascending order @ castAddBody.mentionsPositions[2]',
  ],
  [
    'fid 0',
    () => cast({ text: 'a', mentions: [1n, 0n], mentionsPositions: [0, 0] }),
    'validation_failure: fid is missing @ castAddBody.mentions[1]',
  ],
  [
    'fid 2^32 - 1',
    () => cast({ text: 'a', mentions: [4_294_967_295n], mentionsPositions: [0] }),
    'accepted',
  ],
  [
    'fid 2^32',
    () => cast({ text: 'a', mentions: [4_294_967_296n], mentionsPositions: [0] }),
    'validation_failure: fid must be below 2^32 @ castAddBody.mentions[0]',
  ],
])

const parent = (value: string) => cast({ text: 'a', parent: { case: 'parentUrl', value } })
const reply = (hash: Uint8Array, fid = 1n) =>
  cast({ text: 'a', parent: { case: 'parentCastId', value: { fid, hash } } })

table('cast parent', [
  ['a chain uri', () => parent('chain://eip155:7777777/erc721:0x10a7'), 'accepted'],
  ['256 bytes', () => parent(text(256)), 'accepted'],
  ['257 bytes', () => parent(text(257)), 'invalid_param: url > 256 bytes @ castAddBody.parentUrl'],
  ['empty', () => parent(''), 'invalid_param: url < 1 byte @ castAddBody.parentUrl'],
  ['a cast', () => reply(fill(20)), 'accepted'],
  [
    'a hash of 19 bytes',
    () => reply(fill(19)),
    'validation_failure: hash must be 20 bytes @ castAddBody.parentCastId.hash',
  ],
  [
    'a hash of 21 bytes',
    () => reply(fill(21)),
    'validation_failure: hash must be 20 bytes @ castAddBody.parentCastId.hash',
  ],
  [
    'fid 0',
    () => reply(fill(20), 0n),
    'validation_failure: fid is missing @ castAddBody.parentCastId.fid',
  ],
  [
    'url and cast',
    () =>
      verdict(raw(8, 1, 16, 1, 24, 1, 32, 1, 0x2a, 10, 0x1a, 2, 8, 1, 0x3a, 1, 65, 0x22, 1, 65)),
    'validation_failure: cannot use both parentUrl and parentCastId @ castAddBody',
  ],
])

const remove = (length: number) => judge(build.castRemove(origin, fill(length)))
table('cast remove', [
  ['20 bytes', () => remove(20), 'accepted'],
  [
    '19 bytes',
    () => remove(19),
    'validation_failure: hash must be 20 bytes @ castRemoveBody.targetHash',
  ],
  [
    '21 bytes',
    () => remove(21),
    'validation_failure: hash must be 20 bytes @ castRemoveBody.targetHash',
  ],
  ['none', () => remove(0), 'validation_failure: hash is missing @ castRemoveBody.targetHash'],
])

const react = (type: number, target: build.ReactionTarget) =>
  judge(build.reactionAdd(origin, type as ReactionType, target))
table('reaction', [
  ['like a cast', () => react(1, { fid: 1, hash: fill(20) }), 'accepted'],
  ['recast a url', () => react(2, { url: 'a' }), 'accepted'],
  [
    'remove',
    () => judge(build.reactionRemove(origin, ReactionType.LIKE, { url: 'a' })),
    'accepted',
  ],
  [
    'type none',
    () => react(0, { url: 'a' }),
    'validation_failure: invalid reaction type @ reactionBody.type',
  ],
  [
    'unknown type',
    () => react(3, { url: 'a' }),
    'validation_failure: invalid reaction type @ reactionBody.type',
  ],
  ['url of 256 bytes', () => react(1, { url: text(256) }), 'accepted'],
  [
    'url of 257 bytes',
    () => react(1, { url: text(257) }),
    'invalid_param: url > 256 bytes @ reactionBody.targetUrl',
  ],
  [
    'empty url',
    () => react(1, { url: '' }),
    'invalid_param: url < 1 byte @ reactionBody.targetUrl',
  ],
  [
    'short hash',
    () => react(1, { fid: 1, hash: fill(19) }),
    'validation_failure: hash must be 20 bytes @ reactionBody.targetCastId.hash',
  ],
  [
    'no target',
    () => verdict(raw(8, 3, 16, 1, 24, 1, 32, 1, 0x3a, 2, 8, 1)),
    'validation_failure: target is missing @ reactionBody',
  ],
  [
    'two targets',
    () => verdict(raw(8, 3, 16, 1, 24, 1, 32, 1, 0x3a, 9, 8, 1, 0x12, 2, 8, 1, 0x1a, 1, 65)),
    'validation_failure: cannot use both targetUrl and targetCastId @ reactionBody',
  ],
])

const link = (type: string, fid = 2) => judge(build.linkAdd(origin, type, fid))
const BAD_LINK = 'validation_failure: type must be between 1-8 bytes @ linkBody.type'
const compact = (type: string, fids: number[]) => judge(build.linkCompactState(origin, type, fids))
table('link', [
  ['1 byte', () => link('a'), 'accepted'],
  ['8 bytes', () => link('12345678'), 'accepted'],
  ['two emoji are 8 bytes', () => link('👋👋'), 'accepted'],
  ['9 bytes', () => link('123456789'), BAD_LINK],
  ['empty', () => link(''), BAD_LINK],
  [
    'a zero byte',
    () => link('a\0'),
    'validation_failure: type must not contain NUL @ linkBody.type',
  ],
  ['to oneself', () => link('follow', origin.fid), 'accepted'],
  ['fid 0', () => link('follow', 0), 'validation_failure: fid is missing @ linkBody.targetFid'],
  ['fid 2^32 - 1', () => link('follow', 2 ** 32 - 1), 'accepted'],
  [
    'fid 2^32',
    () => link('follow', 2 ** 32),
    'validation_failure: fid must be below 2^32 @ linkBody.targetFid',
  ],
  ['remove', () => judge(build.linkRemove(origin, 'follow', 2)), 'accepted'],
  [
    'no target',
    () => verdict(raw(8, 5, 16, 1, 24, 1, 32, 1, 0x72, 3, 0x0a, 1, 65)),
    'validation_failure: target is missing @ linkBody.targetFid',
  ],
  ['compact', () => compact('follow', [2, 3, 3]), 'accepted'],
  [
    'compact of nobody',
    () => compact('follow', []),
    'validation_failure: target is missing @ linkCompactStateBody.targetFids',
  ],
  [
    'compact with fid 0',
    () => compact('follow', [2, 0]),
    'validation_failure: fid is missing @ linkCompactStateBody.targetFids[1]',
  ],
  [
    'compact with 9 bytes',
    () => compact('123456789', [2]),
    'validation_failure: type must be between 1-8 bytes @ linkCompactStateBody.type',
  ],
])

const value = (type: UserDataType, text: string, checks?: CheckContext) =>
  judge(build.userDataAdd(origin, type, text), checks)
const PROFILE = UserDataType
const VALUE = '@ userDataBody.value'
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const TOKEN = 'eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f'

table('user data', [
  ...(
    [
      ['pfp', PROFILE.USER_DATA_TYPE_PFP, 256],
      ['display', PROFILE.USER_DATA_TYPE_DISPLAY, 32],
      ['bio', PROFILE.USER_DATA_TYPE_BIO, 256],
      ['url', PROFILE.USER_DATA_TYPE_URL, 256],
      ['banner', PROFILE.USER_DATA_TYPE_BANNER, 256],
    ] as const
  ).flatMap(([name, type, max]): Row[] => [
    [`${name} of ${max} bytes`, () => value(type, text(max), pro), 'accepted'],
    [
      `${name} of ${max + 1} bytes`,
      () => value(type, text(max + 1), pro),
      `validation_failure: ${name} value > ${max} ${VALUE}`,
    ],
    [`${name}, empty`, () => value(type, '', pro), 'accepted'],
  ]),
  ['8 emoji are 32 bytes', () => value(PROFILE.USER_DATA_TYPE_DISPLAY, '👋'.repeat(8)), 'accepted'],
  [
    '8 emoji and a letter',
    () => value(PROFILE.USER_DATA_TYPE_DISPLAY, `${'👋'.repeat(8)}a`),
    `validation_failure: display value > 32 ${VALUE}`,
  ],
  [
    'banner without the tier',
    () => value(PROFILE.USER_DATA_TYPE_BANNER, 'a'),
    'validation_failure: Pro subscription required @ userDataBody.type',
  ],
  ['live at', () => value(PROFILE.USER_DATA_TYPE_LIVE_AT, 'a'), 'accepted'],
  [
    'type none',
    () => value(0, 'a'),
    'validation_failure: invalid user data type @ userDataBody.type',
  ],
  [
    'type 4',
    () => value(4 as UserDataType, 'a'),
    'validation_failure: invalid user data type @ userDataBody.type',
  ],
  [
    'type 15',
    () => value(15 as UserDataType, 'a'),
    'validation_failure: invalid user data type @ userDataBody.type',
  ],
])

const accepts = (type: UserDataType, values: readonly string[]) =>
  values.map(
    (v): Row => [`${UserDataType[type]} ${JSON.stringify(v)}`, () => value(type, v), 'accepted'],
  )
const refuses = (type: UserDataType, values: readonly (readonly [string, string])[]) =>
  values.map(
    ([v, why]): Row => [
      `${UserDataType[type]} ${JSON.stringify(v)}`,
      () => value(type, v),
      `validation_failure: ${why} ${VALUE}`,
    ],
  )

table('user data takes', [
  ...accepts(PROFILE.USER_DATA_TYPE_USERNAME, [
    '',
    'a',
    '0-',
    '1234567890123456',
    'alice.eth',
    '1234567890123456.eth',
    'alice.base.eth',
    '1234567890123456.base.eth',
  ]),
  ...accepts(PROFILE.USER_DATA_TYPE_LOCATION, [
    '',
    'geo:0.00,0.00',
    'geo:-90.00,-180.00',
    'geo:90.00,180.00',
    'geo:1.23,4.56',
  ]),
  ...accepts(PROFILE.USER_DATA_TYPE_TWITTER, ['', 'a', 'a_1', '123456789012345']),
  ...accepts(PROFILE.USER_DATA_TYPE_GITHUB, ['', 'A', 'a-b', 'a-', text(38)]),
  ...accepts(PROFILE.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, ['', CHECKSUMMED]),
  ...accepts(PROFILE.USER_DATA_PRIMARY_ADDRESS_SOLANA, [
    '',
    base58.encode(fill(32, 9)),
    base58.encode(fill(32, 0)),
  ]),
  ...accepts(PROFILE.USER_DATA_TYPE_PROFILE_TOKEN, ['', TOKEN, `${TOKEN}/1`]),
])

const FNAME = '/^[a-z0-9][a-z0-9-]{0,15}$/'
table('user data refuses', [
  ...refuses(PROFILE.USER_DATA_TYPE_USERNAME, [
    ['12345678901234567', 'fname "12345678901234567" > 16 characters'],
    ['Alice', `fname "Alice" doesn't match ${FNAME}`],
    ['-a', `fname "-a" doesn't match ${FNAME}`],
    ['é', `fname "é" doesn't match ${FNAME}`],
    ['a\0', `fname "a\0" doesn't match ${FNAME}`],
    ['12345678901234567.eth', 'ensName "12345678901234567.eth" > 20 characters'],
    ['a.b.eth', 'ensName "a.b.eth" unsupported subdomain'],
    ['.eth', `ensName ".eth" doesn't match ${FNAME}`],
    ['Alice.eth', `ensName "Alice.eth" doesn't match ${FNAME}`],
    ['xn--a.eth', 'ensName "xn--a.eth" is not a valid ENS name'],
    ['12345678901234567.base.eth', 'ensName "12345678901234567.base.eth" > 25 characters'],
    ['a.b.base.eth', 'ensName "a.b.base.eth" unsupported subdomain'],
  ]),
  ...refuses(PROFILE.USER_DATA_TYPE_LOCATION, [
    ['1.23,4.56', 'Invalid location string'],
    ['geo:1.2,3.45', 'Invalid location string'],
    ['geo:123.45,6.78', 'Invalid location string'],
    ['geo:1.23, 4.56', 'Invalid location string'],
    ['geo:1.23,4.56\n', 'Invalid location string'],
    ['geo:90.01,0.00', 'Latitude value outside valid range'],
    ['geo:-90.01,0.00', 'Latitude value outside valid range'],
    ['geo:0.00,180.01', 'Longitude value outside valid range'],
    ['geo:0.00,-180.01', 'Longitude value outside valid range'],
  ]),
  ...refuses(PROFILE.USER_DATA_TYPE_TWITTER, [
    ['1234567890123456', 'username "1234567890123456" > 15 characters'],
    ['Alice', `username "Alice" doesn't match /^[a-z0-9_]{0,15}$/`],
  ]),
  ...refuses(PROFILE.USER_DATA_TYPE_GITHUB, [
    [text(39), `username "${text(39)}" > 38 characters`],
    ['a--b', `username "a--b" doesn't match /^[a-z\\d](?:[a-z\\d]|-(?!-)){0,38}$/i`],
    ['-a', `username "-a" doesn't match /^[a-z\\d](?:[a-z\\d]|-(?!-)){0,38}$/i`],
  ]),
  ...refuses(PROFILE.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, [
    [CHECKSUMMED.toLowerCase(), 'invalid ethereum address'],
    [`0x${'g'.repeat(40)}`, 'invalid ethereum address'],
    [CHECKSUMMED.slice(0, -1), 'invalid length for eth address'],
    [CHECKSUMMED.slice(2), 'invalid length for eth address'],
  ]),
  ...refuses(PROFILE.USER_DATA_PRIMARY_ADDRESS_SOLANA, [
    [base58.encode(fill(31, 9)), 'invalid length for sol address'],
    [text(200), 'invalid length for sol address'],
    ['0OIl', 'invalid solana address'],
  ]),
  ...refuses(PROFILE.USER_DATA_TYPE_PROFILE_TOKEN, [
    ['eip155:1/erc', 'invalid CAIP-19 string'],
    [`${TOKEN}/${text(256)}`, 'CAIP-19 string too long'],
  ]),
])

const proofOf = (name: string, type: number, change: object = {}) => {
  const init = build.usernameProof(origin, {
    name,
    owner: fill(20),
    signature: fill(65),
    type: type as UserNameType,
  })
  Object.assign(init.body!.value as object, change)
  return judge(init)
}
const UNIX = 1_609_459_200n + BigInt(NOW)
table('username proof', [
  ['ens', () => proofOf('alice.eth', 2), 'accepted'],
  ['basename', () => proofOf('alice.base.eth', 3), 'accepted'],
  [
    'fname',
    () => proofOf('alice', 1),
    'validation_failure: invalid username type: 1 @ usernameProofBody.type',
  ],
  [
    'type none',
    () => proofOf('alice.eth', 0),
    'validation_failure: invalid username type: 0 @ usernameProofBody.type',
  ],
  [
    'a basename as ens',
    () => proofOf('alice.base.eth', 2),
    'validation_failure: ensName "alice.base.eth" unsupported subdomain @ usernameProofBody.name',
  ],
  [
    'an ens name as basename',
    () => proofOf('alice.eth', 3),
    'validation_failure: ensName "alice.eth" unsupported subdomain @ usernameProofBody.name',
  ],
  [
    'no suffix',
    () => proofOf('alice', 2),
    `validation_failure: ensName "alice" doesn't end with .eth @ usernameProofBody.name`,
  ],
  [
    'no name',
    () => proofOf('', 2),
    'validation_failure: ensName is missing @ usernameProofBody.name',
  ],
  [
    'not UTF-8',
    () => proofOf('', 2, { name: fill(3, 255) }),
    'validation_failure: name must be encodable as utf8 @ usernameProofBody.name',
  ],
  [
    'another fid',
    () => proofOf('alice.eth', 2, { fid: 1n }),
    'validation_failure: fid in username proof does not match fid in message data @ usernameProofBody.fid',
  ],
  [
    'a second earlier',
    () => proofOf('alice.eth', 2, { timestamp: UNIX - 1n }),
    'validation_failure: timestamp in username proof does not match timestamp in message data @ usernameProofBody.timestamp',
  ],
  [
    'network seconds',
    () => proofOf('alice.eth', 2, { timestamp: BigInt(NOW) }),
    'validation_failure: timestamp in username proof does not match timestamp in message data @ usernameProofBody.timestamp',
  ],
  [
    'milliseconds',
    () => proofOf('alice.eth', 2, { timestamp: UNIX * 1000n }),
    'validation_failure: timestamp in username proof does not match timestamp in message data @ usernameProofBody.timestamp',
  ],
])

const frame = (change: object = {}) =>
  judge(build.frameAction(origin, { url: toUtf8('https://a'), buttonIndex: 1, castId, ...change }))
table('frame action', [
  ['plain', () => frame(), 'accepted'],
  ['button 0', () => frame({ buttonIndex: 0 }), 'accepted'],
  ['button 5', () => frame({ buttonIndex: 5 }), 'accepted'],
  [
    'button 6',
    () => frame({ buttonIndex: 6 }),
    'validation_failure: invalid button index @ frameActionBody.buttonIndex',
  ],
  ['url of 1024', () => frame({ url: fill(1024) }), 'accepted'],
  [
    'url of 1025',
    () => frame({ url: fill(1025) }),
    'validation_failure: invalid url @ frameActionBody.url',
  ],
  [
    'no url',
    () => frame({ url: fill(0) }),
    'validation_failure: invalid url @ frameActionBody.url',
  ],
  ['input of 256', () => frame({ inputText: fill(256) }), 'accepted'],
  [
    'input of 257',
    () => frame({ inputText: fill(257) }),
    'validation_failure: invalid input text @ frameActionBody.inputText',
  ],
  [
    'state of 4097',
    () => frame({ state: fill(4097) }),
    'validation_failure: invalid state @ frameActionBody.state',
  ],
  [
    'state of 4096',
    () => frame({ state: fill(4096) }),
    'validation_failure: dataBytes > 2048 bytes @ dataBytes',
  ],
  ['transaction of 256', () => frame({ transactionId: fill(256) }), 'accepted'],
  [
    'transaction of 257',
    () => frame({ transactionId: fill(257) }),
    'validation_failure: invalid transaction ID @ frameActionBody.transactionId',
  ],
  ['address of 64', () => frame({ address: fill(64) }), 'accepted'],
  [
    'address of 65',
    () => frame({ address: fill(65) }),
    'validation_failure: invalid address @ frameActionBody.address',
  ],
  ['no cast', () => frame({ castId: undefined }), 'accepted'],
  [
    'a bad cast',
    () => frame({ castId: { fid: 1n, hash: fill(1) } }),
    'validation_failure: hash must be 20 bytes @ frameActionBody.castId.hash',
  ],
])

const ethKey = fill(32, 0x11)
const claim = { address: addressOfPrivateKey(ethKey), blockHash: fill(32, 0x22) }
const claimSignature = signEthClaim(origin, claim, ethKey)
const verify = (change: object = {}, from = origin) =>
  judge(build.verificationAddEth(from, { ...claim, claimSignature, ...change }))
const V = 'verificationAddAddressBody'
const BAD_CLAIM = `validation_failure: invalid claimSignature @ ${V}.claimSignature`
const withV = (v: number) => Uint8Array.of(...claimSignature.subarray(0, 64), v)
table('ethereum verification', [
  ['signed by the address', () => verify(), 'accepted'],
  ['v as 0 or 1', () => verify({ claimSignature: withV(claimSignature[64]! - 27) }), 'accepted'],
  ['the other v', () => verify({ claimSignature: withV(55 - claimSignature[64]!) }), BAD_CLAIM],
  ['64 bytes', () => verify({ claimSignature: claimSignature.subarray(0, 64) }), BAD_CLAIM],
  ['no signature', () => verify({ claimSignature: fill(0) }), BAD_CLAIM],
  [
    '2049 bytes',
    () => verify({ claimSignature: fill(2049) }),
    `validation_failure: claimSignature > 2048 bytes @ ${V}.claimSignature`,
  ],
  ['another fid', () => verify({}, { ...origin, fid: 1 }), BAD_CLAIM],
  ['another block hash', () => verify({ blockHash: fill(32) }), BAD_CLAIM],
  [
    'a block hash of 31 bytes',
    () => verify({ blockHash: fill(31) }),
    `validation_failure: blockHash must be 32 bytes @ ${V}.blockHash`,
  ],
  [
    'no block hash',
    () => verify({ blockHash: fill(0) }),
    `validation_failure: blockHash is missing @ ${V}.blockHash`,
  ],
  [
    'an address of 19 bytes',
    () => verify({ address: fill(19) }),
    `validation_failure: Ethereum address must be 20 bytes @ ${V}.address`,
  ],
  [
    'no address',
    () => verify({ address: fill(0) }),
    `validation_failure: Ethereum address is missing @ ${V}.address`,
  ],
  [
    'a chain for a plain account',
    () => verify({ chainId: 1 }),
    `invalid_param: Invalid chain ID @ ${V}.chainId`,
  ],
  [
    'type 2',
    () => verify({ verificationType: 2 }),
    `validation_failure: Invalid verification type @ ${V}.verificationType`,
  ],
  [
    'a contract’s, left to its chain',
    () => verify({ verificationType: 1, chainId: 10, claimSignature: fill(9) }),
    'accepted',
  ],
  [
    'a contract’s on chain 8453',
    () => verify({ verificationType: 1, chainId: 8453 }),
    `invalid_param: Invalid chain ID @ ${V}.chainId`,
  ],
])

const solSeed = fill(32, 9)
const solBase = { address: publicKeyOf(solSeed), blockHash: fill(32, 3) }
const solSignature = signEd25519(solanaClaim(solBase, { fid: 12345n, network: 1 }), solSeed)
const solana = (change: object = {}) =>
  judge(build.verificationAddSol(origin, { ...solBase, claimSignature: solSignature, ...change }))
table('solana verification', [
  ['signed by the address', () => solana(), 'accepted'],
  ['another block hash', () => solana({ blockHash: fill(32) }), BAD_CLAIM],
  [
    '63 bytes',
    () => solana({ claimSignature: fill(63) }),
    `validation_failure: claimSignature != 64 bytes @ ${V}.claimSignature`,
  ],
  [
    'an address of 31 bytes',
    () => solana({ address: fill(31) }),
    `validation_failure: solana address must be 32 bytes @ ${V}.address`,
  ],
])

test('the solana claim is the published text', () => {
  const address = base58.decode('9t92xZy9q5SyfKBH4rZwEDFXjaZKgzj5PgviPhKtBjyy')
  const blockHash = base58.decode('GrA7S1ufUcwgrVi7PWZupKHrfFHzPbTNFK34tsbMU85s')
  assert.equal(
    Buffer.from(solanaClaim({ address, blockHash }, { fid: 2n, network: 1 })).toString(),
    'fid: 2 address: 9t92xZy9q5SyfKBH4rZwEDFXjaZKgzj5PgviPhKtBjyy network: 1 blockHash: GrA7S1ufUcwgrVi7PWZupKHrfFHzPbTNFK34tsbMU85s protocol: 1',
  )
})

const giveUp = (length: number, protocol: number) =>
  judge(build.verificationRemove(origin, fill(length), protocol as Protocol))
table('verification remove', [
  ['ethereum', () => giveUp(20, 0), 'accepted'],
  ['solana', () => giveUp(32, 1), 'accepted'],
  [
    'ethereum with a solana address',
    () => giveUp(32, 0),
    'validation_failure: Ethereum address must be 20 bytes @ verificationRemoveBody.address',
  ],
  [
    'unknown protocol',
    () => giveUp(20, 2),
    'validation_failure: invalid verification protocol @ verificationRemoveBody.protocol',
  ],
])

const lend = (init: Partial<Parameters<typeof build.lendStorage>[1]>, age = 0) =>
  judge(build.lendStorage({ ...origin, timestamp: NOW - age }, { toFid: 2, units: 1, ...init }))

table('lent storage', [
  ['5000 units', () => lend({ units: 5_000 }), 'accepted'],
  [
    '5001 units',
    () => lend({ units: 5_001 }),
    'validation_failure: num storage units too large @ lendStorageBody.numUnits',
  ],
  ['no units', () => lend({ units: 0 }), 'accepted'],
  ['units of the newest type', () => lend({ unitType: 2 }), 'accepted'],
  [
    'units of an unknown type',
    () => lend({ unitType: 3 as 2 }),
    'validation_failure: invalid storage unit type @ lendStorageBody.unitType',
  ],
  [
    'to fid 0',
    () => lend({ toFid: 0 }),
    'validation_failure: fid is missing @ lendStorageBody.toFid',
  ],
  [
    'to a fid of more than four bytes',
    () => lend({ toFid: 2 ** 32 }),
    'validation_failure: fid must be below 2^32 @ lendStorageBody.toFid',
  ],
  ['600 seconds old', () => lend({}, 600), 'accepted'],
  [
    '601 seconds old',
    () => lend({}, 601),
    'validation_failure: timestamp more than 10 mins in the past @ data.timestamp',
  ],
])

const good = signed(build.castAdd(origin, 'hello'))
const change = (part: Partial<SignedMessage>) => verdict({ ...good, ...part })
const from = (part: Partial<build.Origin>, checks?: CheckContext) =>
  judge(build.castAdd({ ...origin, ...part }, 'a'), checks)
const typed = (type: number) => judge({ ...build.castAdd(origin, 'a'), type })
table('envelope', [
  ['as built', () => verdict(good), 'accepted'],
  ['600 seconds ahead', () => from({ timestamp: NOW + 600 }), 'accepted'],
  ['599 seconds ahead', () => from({ timestamp: NOW + 599 }), 'accepted'],
  [
    '601 seconds ahead',
    () => from({ timestamp: NOW + 601 }),
    'validation_failure: timestamp more than 10 mins in the future @ data.timestamp',
  ],
  ['second 0', () => from({ timestamp: 0 }), 'accepted'],
  ['fid 0', () => from({ fid: 0 }), 'validation_failure: fid is missing @ data.fid'],
  ['fid 2^32 - 1', () => from({ fid: 2 ** 32 - 1 }), 'accepted'],
  [
    'fid 2^32',
    () => from({ fid: 2 ** 32 }),
    'validation_failure: fid must be below 2^32 @ data.fid',
  ],
  ['network 0', () => from({ network: 0 }), 'validation_failure: invalid network @ data.network'],
  ['network 4', () => from({ network: 4 }), 'validation_failure: invalid network @ data.network'],
  [
    'a hash of 19 bytes',
    () => change({ hash: good.hash.subarray(1) }).slice(0, 33),
    'validation_failure: invalid hash. E'.slice(0, 33),
  ],
  ['no hash', () => change({ hash: fill(0) }), 'validation_failure: hash is missing @ hash'],
  [
    'hash scheme 0',
    () => change({ hashScheme: 0 }),
    'validation_failure: invalid hashScheme @ hashScheme',
  ],
  [
    'hash scheme 2',
    () => change({ hashScheme: 2 }),
    'validation_failure: invalid hashScheme @ hashScheme',
  ],
  [
    'signature scheme 2',
    () => change({ signatureScheme: 2 }),
    'validation_failure: invalid signatureScheme @ signatureScheme',
  ],
  [
    'no signature',
    () => change({ signature: fill(0) }),
    'validation_failure: signature is missing @ signature',
  ],
  [
    '63 bytes of signature',
    () => change({ signature: fill(63) }),
    'validation_failure: invalid signature @ signature',
  ],
  [
    'no signer',
    () => change({ signer: fill(0) }),
    'validation_failure: signer is missing @ signer',
  ],
  [
    '33 bytes of signer',
    () => change({ signer: fill(33) }),
    'validation_failure: signer must be 32 bytes @ signer',
  ],
  ['type none', () => typed(0), 'invalid_param: bodyType is invalid @ data.type'],
  [
    'a type with another body',
    () => typed(MessageType.CAST_REMOVE),
    'invalid_param: bodyType is invalid @ data.type',
  ],
  ['a retired type', () => typed(9), 'validation_failure: invalid message type @ data.type'],
  ['an unknown type', () => typed(22), 'validation_failure: invalid message type @ data.type'],
  [
    'no body',
    () => verdict(raw(8, 1, 16, 1, 24, 1, 32, 1)),
    'validation_failure: only one body can be set @ data',
  ],
  [
    'two bodies',
    () => verdict(raw(8, 1, 16, 1, 24, 1, 32, 1, 0x2a, 3, 0x22, 1, 65, 0x62, 2, 8, 1)),
    'validation_failure: only one body can be set @ data',
  ],
])

const NAMES = ['', 'mainnet', 'testnet', 'devnet']
for (const network of [1, 2, 3]) {
  for (const own of [1, 2, 3]) {
    test(`a message of network ${network} is refused on a hub of network ${own}`, () => {
      const expected =
        network === own
          ? 'accepted'
          : `validation_failure: incorrect network: ${network} (expected: ${own}); sign for ${NAMES[own]}, or start the server with ROOKERY_NETWORK=${NAMES[network]}${network === 1 ? ', or with --as-deployed' : ''} @ data.network`
      assert.equal(from({ network }, { now: NOW, network: own }), expected)
    })
  }
}

for (const type of UNSUPPORTED_TYPES) {
  test(`messages of type ${MessageType[type]} are refused as unsupported`, () => {
    const text = `not_supported: messages of type ${MessageType[type]} are not supported @ data.type`
    assert.equal(typed(type), text)
  })
}

/** A message padded with an unknown field to exactly this many data bytes. */
function padded(init: build.DataInit, length: number): SignedMessage {
  const { dataBytes } = signed(init)
  const rest = length - dataBytes.length - 4
  const field127 = Uint8Array.of(0xfa, 0x07, (rest & 0x7f) | 0x80, rest >> 7)
  const long = Uint8Array.of(
    0xfa,
    0x07,
    (rest & 0x7f) | 0x80,
    ((rest >> 7) & 0x7f) | 0x80,
    rest >> 14,
  )
  const bytes =
    rest < 16_384
      ? concatBytes(dataBytes, field127, fill(rest))
      : concatBytes(dataBytes, long, fill(rest))
  return raw(...(bytes.length > length ? bytes.subarray(0, -1) : bytes))
}

test('message data of more than 2048 bytes are refused', () => {
  assert.equal(verdict(padded(build.castAdd(origin, 'a'), 2048)), 'accepted')
  assert.equal(
    verdict(padded(build.castAdd(origin, 'a'), 2049)),
    'validation_failure: dataBytes > 2048 bytes @ dataBytes',
  )
  assert.equal(verdict(padded(build.castAdd(origin, 'a'), 2049), pro), 'accepted')
})

test('a compact state of more than 65536 bytes is refused', () => {
  const state = (n: number) => build.linkCompactState(origin, 'follow', Array(n).fill(2 ** 21))
  assert.equal(judge(state(16_370)), 'accepted')
  assert.equal(judge(state(16_390)), 'validation_failure: dataBytes > 65536 bytes @ dataBytes')
})

test('verification claims of contract wallets are recognised', () => {
  const init = (type: number) =>
    build.verificationAddEth(origin, { ...claim, claimSignature, verificationType: type })
  assert.ok(isContractClaim(signed(init(1)).data.body))
  assert.ok(!isContractClaim(signed(init(0)).data.body))
  assert.ok(!isContractClaim(good.data.body))
})
