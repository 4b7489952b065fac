// The oracle decodes each message whole.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { concatBytes } from '../protocol/codec/bytes.ts'
import { MessageDataSchema } from '../protocol/wire/message_pb.js'
import { castFields, castKey, linkFields, reactionFields } from './message-fields.ts'

type Body = MessageInitShape<typeof MessageDataSchema>['body']

const castId = (fid: bigint, byte: number) => ({ fid, hash: new Uint8Array(20).fill(byte) })
const parentCast = { case: 'parentCastId', value: castId(2n ** 32n - 1n, 9) } as const

const BODIES: Readonly<Record<string, Body>> = {
  'an empty cast': { case: 'castAddBody', value: {} },
  'a cast': { case: 'castAddBody', value: { text: 'Grüße, 🐦 \u0000', type: 1 } },
  'a reply': { case: 'castAddBody', value: { text: 'a', parent: parentCast } },
  'a reply to a cast without a fid': {
    case: 'castAddBody',
    value: { parent: { case: 'parentCastId', value: castId(0n, 1) } },
  },
  'a reply to an empty id': {
    case: 'castAddBody',
    value: { parent: { case: 'parentCastId', value: {} } },
  },
  'a cast in a place': {
    case: 'castAddBody',
    value: { text: 'a', parent: { case: 'parentUrl', value: 'https://example.com/ü' } },
  },
  'a cast with embeds and mentions': {
    case: 'castAddBody',
    value: {
      text: 'a',
      parent: parentCast,
      mentions: [1n, 300n],
      mentionsPositions: [0, 1],
      embedsDeprecated: ['https://example.com/1'],
      embeds: [
        { embed: { case: 'url', value: 'https://example.com/2' } },
        { embed: { case: 'castId', value: castId(7n, 3) } },
        { embed: { case: 'castId', value: castId(7n, 3) } },
        {},
      ],
    },
  },
  'a like': {
    case: 'reactionBody',
    value: { type: 1, target: { case: 'targetCastId', value: castId(300n, 5) } },
  },
  'a like of a url': {
    case: 'reactionBody',
    value: { type: 1, target: { case: 'targetUrl', value: 'https://example.com' } },
  },
  'a reaction to nothing': { case: 'reactionBody', value: {} },
  'a follow': {
    case: 'linkBody',
    value: {
      type: 'follow',
      displayTimestamp: 5,
      target: { case: 'targetFid', value: 2n ** 32n - 1n },
    },
  },
  'an empty link': { case: 'linkBody', value: {} },
  'a profile field': { case: 'userDataBody', value: { type: 1, value: 'a' } },
  'no body': { case: undefined },
}

const dataOf = (body: Body) =>
  toBinary(
    MessageDataSchema,
    create(MessageDataSchema, { type: 1, fid: 5n, timestamp: 9, network: 3, body }),
  )

/** Of what several encoders write: fields in another order, twice, unknown, of two members of a oneof. */
function variantsOf(data: Uint8Array): Uint8Array[] {
  const unknown = Uint8Array.of(0xfa, 0x01, 1, 7)
  const head = toBinary(MessageDataSchema, create(MessageDataSchema, { type: 3, fid: 2n ** 40n }))
  return [
    data,
    concatBytes(data, unknown),
    concatBytes(unknown, data),
    concatBytes(data, head),
    ...Object.values(BODIES).map((other) => concatBytes(dataOf(other), data)),
  ]
}

function oracle(data: Uint8Array) {
  const { body } = fromBinary(MessageDataSchema, data)
  const keyOf = ({ fid, hash }: { fid: bigint; hash: Uint8Array }) => castKey(Number(fid), hash)
  const cast = body.case === 'castAddBody' ? body.value : undefined
  const reaction = body.case === 'reactionBody' ? body.value : undefined
  const link = body.case === 'linkBody' ? body.value : undefined
  const embeds = cast?.embeds.map(({ embed }) => embed) ?? []
  return {
    cast: cast && {
      text: cast.text,
      parent: cast.parent.case === 'parentCastId' ? keyOf(cast.parent.value) : undefined,
      url: cast.parent.case === 'parentUrl' ? cast.parent.value : undefined,
      urls: [
        ...cast.embedsDeprecated,
        ...embeds.flatMap((embed) => (embed.case === 'url' ? [embed.value] : [])),
      ],
      quotes: embeds.flatMap((embed) => (embed.case === 'castId' ? [keyOf(embed.value)] : [])),
      mentions: cast.mentions.map(Number),
    },
    reaction:
      reaction?.target.case === 'targetCastId'
        ? { type: reaction.type, target: keyOf(reaction.target.value) }
        : undefined,
    link: link && { type: link.type, target: Number(link.target.value ?? 0n) },
  }
}

for (const [what, body] of Object.entries(BODIES)) {
  test(`the views read of ${what} what a decoder reads, however it is encoded`, () => {
    for (const data of variantsOf(dataOf(body))) {
      const read = {
        cast: castFields(data),
        reaction: reactionFields(data),
        link: linkFields(data),
      }
      assert.deepEqual(read, oracle(data))
    }
  })
}
