import type { MessageInitShape } from '@bufbuild/protobuf'
import { concatBytes, utf8Length } from '../codec/bytes.ts'
import { FieldScan, fieldBytes, scanFields } from '../codec/wire-scan.ts'
import { integer, list, object, text, union } from '../json/json-schema.ts'
import { MAX_MENTIONS } from '../sizes.ts'
import type { CastAddBody, Embed } from '../wire/message_pb.js'
import {
  CastAddBodySchema,
  CastType,
  CastTypeSchema,
  EmbedSchema,
  MessageType,
} from '../wire/message_pb.js'
import { jsonLayout, writtenBy } from './json-layout.ts'
import { castIdLayout, castIdSchema, enumSchema } from './json-values.ts'
import { castIdKey, slotKeyOf, urlTargetKey } from './keys.ts'
import {
  type BodyContext,
  type DataInit,
  dataOf,
  MAX_DATA_BYTES,
  type MessageKind,
  type MessageSet,
  type Origin,
} from './kind.ts'
import { checkCastId, checkFid, checkUrl, invalid } from './rules.ts'

/** Casts and their removes. */
export const castSet: MessageSet = {
  key: 'casts',
  number: 1,
  name: 'CASTS',
  messagesPerUnit: { legacy: 5000, u2024: 2000, u2025: 100 },
  announceOrder: 3,
  dependsOnOthers: false,
}

export const MAX_CAST_BYTES = 320
export const MAX_LONG_CAST_BYTES = 1024
export const MAX_TEN_K_CAST_BYTES = 10_000
export const MAX_EMBEDS = 4
const MAX_EMBEDS_DEPRECATED = 2

/** 2023-05-03 00:00 UTC in network seconds: only older casts may have embeds as plain strings. */
export const EMBEDS_DEPRECATED_UNTIL = 73_612_800

const BODY = 'castAddBody'
const FIELDS = { parentCastId: 3, embeds: 6, parentUrl: 7 } as const
const EMBED_FIELDS = { url: 1, castId: 2 } as const

/** Data bytes of casts by pro accounts: a text of 10,000 bytes with its embeds. */
const MAX_PRO_CAST_DATA_BYTES = 16_384

const EMBED_LAYOUT = jsonLayout(EmbedSchema, ['url', 'castId'], { castId: castIdLayout })
const LAYOUT = jsonLayout(
  CastAddBodySchema,
  [
    'embedsDeprecated',
    'mentions',
    'parentCastId',
    'parentUrl',
    'text',
    'mentionsPositions',
    'embeds',
    'type',
  ],
  { parentCastId: castIdLayout, embeds: EMBED_LAYOUT },
)

/** A cast: a text with embeds and mentions, perhaps a reply. Its slot is its own hash. */
export const castAddKind: MessageKind<'castAddBody'> = {
  type: MessageType.CAST_ADD,
  body: 'castAddBody',
  set: castSet,
  isRemove: false,
  views: 'cast',
  maxDataBytes: MAX_DATA_BYTES,
  maxProDataBytes: MAX_PRO_CAST_DATA_BYTES,
  needsPro: ({ type }) => type === CastType.TEN_K_CAST,
  check: checkCastAdd,
  slotKey: (_, hash) => hash,
  target: ({ parent }) => {
    if (parent.case === undefined) return undefined
    const isCast = parent.case === 'parentCastId'
    return castsByParentKey(isCast ? castIdKey(parent.value) : urlTargetKey(parent.value))
  },
  targetFids: ({ parent, mentions }) => [
    ...(parent.case === 'parentCastId' ? [Number(parent.value.fid)] : []),
    ...mentions.map(Number),
  ],
  mentions: ({ mentions }) => (mentions.length === 0 ? [] : [...new Set(mentions.map(Number))]),
  // Subscribers choose casts by parent and mentions, and must be told of their removal.
  withoutContent: ({ parent, mentions }) => ({
    parent,
    mentions,
    mentionsPositions: mentions.map(() => 0),
  }),
  ...writtenBy(LAYOUT),
  schema: object(
    {
      embedsDeprecated: list(text(), { description: 'urls, in casts from before May 2023' }),
      mentions: list(integer(), { description: 'fids, in the order of their positions' }),
      text: text({ description: 'without the mentions, which stand at their positions' }),
      mentionsPositions: list(integer(), { description: 'UTF-8 byte offsets into the text' }),
      embeds: list(union([object({ url: text() }), object({ castId: castIdSchema })], 'Embed')),
      type: enumSchema(CastTypeSchema),
    },
    {
      id: 'CastAddBody',
      optional: { parentCastId: castIdSchema, parentUrl: text() },
    },
  ),
}

/** Data of a CAST_ADD of a text, or of a whole body. */
export function castAdd(
  origin: Origin,
  cast: string | MessageInitShape<typeof CastAddBodySchema>,
): DataInit {
  return dataOf(origin, castAddKind, typeof cast === 'string' ? { text: cast } : cast)
}

/** The slot of a fid's cast with this 20-byte hash, and of its remove. */
export function castSlot(fid: number, hash: Uint8Array): Uint8Array {
  return slotKeyOf(castSet, fid, hash)
}

/** The target key of replies to a cast or url (`castTargetKey`, `urlTargetKey`). */
export function castsByParentKey(targetKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(castSet.number), targetKey)
}

function checkCastAdd(body: CastAddBody, { bytes, data, pro }: BodyContext): void {
  checkOneofs(bytes)
  checkText(body, pro)
  checkEmbeds(body, data.timestamp)
  checkMentions(body)
  checkParent(body)
  const { text, embeds, embedsDeprecated, mentions } = body
  if (text === '' && embeds.length + embedsDeprecated.length + mentions.length === 0) {
    throw invalid('cast is empty', BODY)
  }
}

// Each cast type has its own range of lengths, so that a text has only one valid encoding.
function checkText(body: CastAddBody, pro: boolean): void {
  const field = `${BODY}.text`
  const length = utf8Length(body.text)
  switch (body.type) {
    case CastType.CAST:
      if (length > MAX_CAST_BYTES) throw invalid('text > 320 bytes', field)
      return
    case CastType.LONG_CAST:
      if (length > MAX_LONG_CAST_BYTES) throw invalid('text > 1024 bytes for long cast', field)
      if (length <= MAX_CAST_BYTES) throw invalid('text too short for long cast', field)
      return
    case CastType.TEN_K_CAST:
      if (!pro) throw invalid('Pro subscription required', `${BODY}.type`)
      if (length > MAX_TEN_K_CAST_BYTES) throw invalid('text > 10,000 bytes for 10k cast', field)
      if (length <= MAX_LONG_CAST_BYTES) throw invalid('text too short for 10k cast', field)
      return
    default:
      throw invalid('invalid cast type', `${BODY}.type`)
  }
}

function checkEmbeds(body: CastAddBody, timestamp: number): void {
  const { embeds, embedsDeprecated } = body
  if (embeds.length > 0 && embedsDeprecated.length > 0) {
    throw invalid('cannot use both embeds and string embeds', `${BODY}.embedsDeprecated`)
  }
  if (embedsDeprecated.length > 0 && timestamp >= EMBEDS_DEPRECATED_UNTIL) {
    throw invalid('string embeds have been deprecated', `${BODY}.embedsDeprecated`)
  }
  if (embedsDeprecated.length > MAX_EMBEDS_DEPRECATED) {
    throw invalid('string embeds > 2', `${BODY}.embedsDeprecated`)
  }
  if (embeds.length > MAX_EMBEDS) throw invalid(`embeds > ${MAX_EMBEDS}`, `${BODY}.embeds`)
  for (const [i, url] of embedsDeprecated.entries()) checkUrl(url, `${BODY}.embedsDeprecated[${i}]`)
  for (const [i, embed] of embeds.entries()) checkEmbed(embed, `${BODY}.embeds[${i}]`)
}

function checkEmbed({ embed }: Embed, field: string): void {
  if (embed.case === 'url') checkUrl(embed.value, `${field}.url`)
  else if (embed.case === 'castId') checkCastId(embed.value, `${field}.castId`)
  else throw invalid('embed must have either url or castId', field)
}

// Positions are UTF-8 byte offsets into the text, in ascending order. The text's length is a valid
// position, two mentions may share one, and a position inside a character is not refused.
function checkMentions({ text, mentions, mentionsPositions }: CastAddBody): void {
  if (mentions.length > MAX_MENTIONS) {
    throw invalid(`mentions > ${MAX_MENTIONS}`, `${BODY}.mentions`)
  }
  if (mentions.length !== mentionsPositions.length) {
    const text = 'mentions and mentionsPositions must match'
    throw invalid(text, `${BODY}.mentionsPositions`)
  }
  const end = utf8Length(text)
  let previous = 0
  for (const [i, position] of mentionsPositions.entries()) {
    checkFid(mentions[i], `${BODY}.mentions[${i}]`)
    const field = `${BODY}.mentionsPositions[${i}]`
    if (position > end) throw invalid('mentionsPositions must be a position in text', field)
    if (position < previous) {
      throw invalid('mentionsPositions must be sorted in ascending order', field)
    }
    previous = position
  }
}

function checkParent({ parent }: CastAddBody): void {
  if (parent.case === 'parentCastId') checkCastId(parent.value, `${BODY}.parentCastId`)
  if (parent.case === 'parentUrl') checkUrl(parent.value, `${BODY}.parentUrl`)
}

// Decoders keep the last member of a oneof, so two hubs could read different casts from one hash.
function checkOneofs(bytes: Uint8Array): void {
  let parent: number | undefined
  const scan = new FieldScan(bytes)
  while (scan.next()) {
    const { number } = scan
    if (number === FIELDS.embeds) checkOneEmbed(fieldBytes(bytes, scan))
    if (number !== FIELDS.parentCastId && number !== FIELDS.parentUrl) continue
    parent ??= number
    if (number !== parent) throw invalid('cannot use both parentUrl and parentCastId', BODY)
  }
}

function checkOneEmbed(bytes: Uint8Array): void {
  const numbers = new Set(scanFields(bytes)?.map((field) => field.number))
  if (numbers.has(EMBED_FIELDS.url) && numbers.has(EMBED_FIELDS.castId)) {
    throw invalid('cannot use both url and castId', `${BODY}.embeds`)
  }
}
