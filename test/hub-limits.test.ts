// Every limit of a message at n - 1, n and n + 1, counted in bytes of UTF-8.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  castAdd,
  type DataInit,
  frameAction,
  linkAdd,
  type Origin,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { CastType, ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, bytes, inWorld, onBothEngines, pathOf, refused } from './hub-support.ts'

/** So many bytes of UTF-8 in as few UTF-16 units as may be: counting units would let more through. */
const text = (length: number): string => {
  const wide = '\u{1f99c}'.repeat(Math.floor(length / 4))
  return wide + 'x'.repeat(length % 4)
}

const many = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i))

const url = (value: string) => ({ embed: { case: 'url', value } }) as const

const profile =
  (type: UserDataType, value: (n: number) => string = text): Limit['make'] =>
  (origin, n) =>
    userDataAdd(origin, type, value(n))

const frame =
  (field: 'url' | 'inputText' | 'transactionId' | 'address'): Limit['make'] =>
  (origin, n) =>
    frameAction(origin, { url: Buffer.from('u'), [field]: bytes(n, 0x61) })

type Limit = {
  readonly what: string
  readonly most: number
  readonly says: RegExp
  readonly make: (origin: Origin, n: number) => DataInit
}

const LIMITS: readonly Limit[] = [
  {
    what: 'bytes of a cast',
    most: 320,
    says: /^text > 320 bytes$/,
    make: (origin, n) => castAdd(origin, text(n)),
  },
  {
    what: 'bytes of a long cast',
    most: 1024,
    says: /^text > 1024 bytes for long cast$/,
    make: (origin, n) => castAdd(origin, { text: text(n), type: CastType.LONG_CAST }),
  },
  {
    what: 'mentions',
    most: 10,
    says: /^mentions > 10$/,
    make: (origin, n) =>
      castAdd(origin, { mentions: many(n, () => 1n), mentionsPositions: many(n, () => 0) }),
  },
  {
    what: 'the offset of a mention in a text of 9 bytes',
    most: 9,
    says: /^mentionsPositions must be a position in text/,
    make: (origin, n) => castAdd(origin, { text: text(9), mentions: [1n], mentionsPositions: [n] }),
  },
  {
    what: 'embeds',
    most: 4,
    says: /^embeds > 4$/,
    make: (origin, n) => castAdd(origin, { embeds: many(n, (i) => url(`u${i}`)) }),
  },
  {
    what: 'bytes of an embedded url',
    most: 256,
    says: /^url > 256 bytes$/,
    make: (origin, n) => castAdd(origin, { embeds: [url(text(n))] }),
  },
  {
    what: 'bytes of a parent url',
    most: 256,
    says: /^url > 256 bytes$/,
    make: (origin, n) =>
      castAdd(origin, { text: 'x', parent: { case: 'parentUrl', value: text(n) } }),
  },
  {
    what: 'bytes of a reaction target',
    most: 256,
    says: /^url > 256 bytes$/,
    make: (origin, n) => reactionAdd(origin, ReactionType.LIKE, { url: text(n) }),
  },
  {
    what: 'bytes of a link type',
    most: 8,
    says: /^type must be between 1-8 bytes$/,
    make: (origin, n) => linkAdd(origin, text(n), 2),
  },
  {
    what: 'bytes of a display name',
    most: 32,
    says: /^display value > 32$/,
    make: profile(UserDataType.USER_DATA_TYPE_DISPLAY),
  },
  {
    what: 'bytes of a bio',
    most: 256,
    says: /^bio value > 256$/,
    make: profile(UserDataType.USER_DATA_TYPE_BIO),
  },
  {
    what: 'bytes of a picture url',
    most: 256,
    says: /^pfp value > 256$/,
    make: profile(UserDataType.USER_DATA_TYPE_PFP),
  },
  {
    what: 'bytes of a profile url',
    most: 256,
    says: /^url value > 256$/,
    make: profile(UserDataType.USER_DATA_TYPE_URL),
  },
  {
    what: 'characters of a Twitter name',
    most: 15,
    says: /> 15 characters$/,
    make: profile(UserDataType.USER_DATA_TYPE_TWITTER, (n) => 'x'.repeat(n)),
  },
  {
    what: 'characters of a GitHub name',
    most: 38,
    says: /> 38 characters$/,
    make: profile(UserDataType.USER_DATA_TYPE_GITHUB, (n) => 'x'.repeat(n)),
  },
  {
    what: 'the latitude in hundredths',
    most: 9_000,
    says: /^Latitude value outside valid range$/,
    make: profile(UserDataType.USER_DATA_TYPE_LOCATION, (n) => `geo:${(n / 100).toFixed(2)},0.00`),
  },
  { what: 'bytes of a frame url', most: 1024, says: /^invalid url$/, make: frame('url') },
  { what: 'bytes typed', most: 256, says: /^invalid input text$/, make: frame('inputText') },
  {
    what: 'bytes of a transaction id',
    most: 256,
    says: /^invalid transaction ID$/,
    make: frame('transactionId'),
  },
  { what: 'bytes of a frame address', most: 64, says: /^invalid address$/, make: frame('address') },
  {
    what: 'the button',
    most: 5,
    says: /^invalid button index$/,
    make: (origin, n) => frameAction(origin, { url: Buffer.from('u'), buttonIndex: n }),
  },
]

inWorld('a message may have', (world) => {
  for (const { what, most, says, make } of LIMITS) {
    test(`a message has at most ${most} of: ${what}`, async () => {
      const account = await world().account(1)
      const verdict = async (n: number) => {
        const message = world().sign(account, make(world().origin(account), n))
        return accepted(await world().validate(message))
      }
      for (const n of [most - 1, most]) {
        const { valid, reason } = await verdict(n)
        assert.ok(valid, `${n}: ${reason}`)
      }
      const { valid, reason } = await verdict(most + 1)
      assert.equal(valid, false)
      assert.match(reason, says)
    })
  }

  test('a long cast has 321 bytes or more', async () => {
    const account = await world().account(1)
    const cast = { text: text(320), type: CastType.LONG_CAST }
    const message = world().sign(account, castAdd(world().origin(account), cast))
    const { valid, reason } = accepted(await world().validate(message))
    assert.deepEqual([valid, reason], [false, 'text too short for long cast'])
  })

  test('a target may be any URL that is not empty', async () => {
    const account = await world().account(3)
    const like = (target: string) =>
      world().submit(
        world().sign(
          account,
          reactionAdd(world().origin(account), ReactionType.LIKE, { url: target }),
        ),
      )
    accepted(await like('chain://eip155:1/erc721:0x01'))
    accepted(await like('not a url at all'))
    refused(await like(''), { code: 'bad_request.invalid_param', says: /^url < 1 byte$/ })
  })
})

onBothEngines('a message may have', (world) => {
  test('text may have any characters and is read back unchanged', async () => {
    const account = await world().account(2)
    const texts = [
      '\0',
      'a\u0000b',
      'e\u0301\u200d\ufeff',
      '\u{1f469}\u200d\u{1f4bb}',
      '"\\\n\u2028',
    ]
    for (const [i, text] of texts.entries()) {
      const cast = world().sign(account, castAdd(world().origin(account, 10 + i), text))
      const { hash } = accepted(await world().submit(cast))
      const read = accepted(await world().get(pathOf('/v1/castById', { fid: 2, hash })))
      assert.equal(read.data.castAddBody.text, text)
    }
    // A lone surrogate has no UTF-8: bytes that claim to be one are no text.
    const cast = world().sign(account, castAdd(world().origin(account), 'xyz'))
    const broken = Buffer.from(cast.dataBytes)
    broken.set([0xed, 0xa0, 0x80], broken.length - 3)
    const answer = await world().submit({ ...cast, dataBytes: broken })
    refused(answer, { code: 'bad_request.parse_failure' })
  })
})
