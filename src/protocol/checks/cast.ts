import { utf8Length } from '../bytes.ts'
import type { CastAddBody, CastRemoveBody, Embed } from '../wire/message_pb.js'
import { CastType } from '../wire/message_pb.js'
import { fieldBytes, scanFields } from '../wire-scan.ts'
import { checkCastId, checkFid, checkHash, checkUrl, invalid } from './rules.ts'

export const MAX_CAST_BYTES = 320
export const MAX_LONG_CAST_BYTES = 1024
export const MAX_TEN_K_CAST_BYTES = 10_000
export const MAX_EMBEDS = 4
export const MAX_EMBEDS_DEPRECATED = 2
export const MAX_MENTIONS = 10

/** 2023-05-03 00:00 UTC in network seconds: only older casts may carry embeds as plain strings. */
export const EMBEDS_DEPRECATED_UNTIL = 73_612_800

const BODY = 'castAddBody'
const FIELDS = { parentCastId: 3, embeds: 6, parentUrl: 7 } as const
const EMBED_FIELDS = { url: 1, castId: 2 } as const

export type CastContext = {
  /** Network seconds of the message. */
  readonly timestamp: number
  /** Whether the author has the paid tier. */
  readonly pro: boolean
  /** The body as it arrived, where a oneof may have been set twice. */
  readonly bytes: Uint8Array
}

/** All rules of a cast. */
export function checkCastAdd(body: CastAddBody, context: CastContext): void {
  checkOneofs(context.bytes)
  checkText(body, context.pro)
  checkEmbeds(body, context.timestamp)
  checkMentions(body)
  checkParent(body)
  const { text, embeds, embedsDeprecated, mentions } = body
  if (text === '' && embeds.length + embedsDeprecated.length + mentions.length === 0) {
    throw invalid('cast is empty', BODY)
  }
}

/** The target need not exist. */
export function checkCastRemove(body: CastRemoveBody): void {
  checkHash(body.targetHash, 'castRemoveBody.targetHash')
}

// Each type of cast has its own range of lengths, so that one text has one spelling.
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

// Positions are UTF-8 byte offsets into the text. The end is one, two mentions may share one, and
// nobody asks whether it falls inside a character.
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

// Decoders keep the last of two choices, so two peers could read two different casts from one hash.
function checkOneofs(bytes: Uint8Array): void {
  const parents = new Set<number>()
  for (const field of scanFields(bytes) ?? []) {
    if (field.number === FIELDS.parentCastId || field.number === FIELDS.parentUrl) {
      parents.add(field.number)
    }
    if (field.number === FIELDS.embeds) checkOneEmbed(fieldBytes(bytes, field))
  }
  if (parents.size > 1) throw invalid('cannot use both parentUrl and parentCastId', BODY)
}

function checkOneEmbed(bytes: Uint8Array): void {
  const numbers = new Set(scanFields(bytes)?.map((field) => field.number))
  if (numbers.has(EMBED_FIELDS.url) && numbers.has(EMBED_FIELDS.castId)) {
    throw invalid('cannot use both url and castId', `${BODY}.embeds`)
  }
}
