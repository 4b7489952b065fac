import { fromBinary } from '@bufbuild/protobuf'
import { WIRE_BYTES, WIRE_VARINT } from '../protocol/codec/wire-scan.ts'
import { FoundFields } from '../protocol/json/wire-json.ts'
import { FID_BYTES } from '../protocol/sizes.ts'
import { type CastId, type MessageData, MessageDataSchema } from '../protocol/wire/message_pb.js'

// Reads the fields that the views need from the bytes of a message, because decoding creates objects for all fields.
// Casts with embeds or mentions, and messages with an unusual encoding, are decoded.

/** The fields of a cast that the views use. */
export type CastFields = {
  readonly text: string
  /** The key of the parent, when it is a cast. */
  readonly parent: Uint8Array | undefined
  /** The parent, when it is a url. */
  readonly url: string | undefined
  /** Embedded urls. */
  readonly urls: readonly string[]
  /** Keys of the embedded casts. The same key may occur more than once. */
  readonly quotes: readonly Uint8Array[]
  readonly mentions: readonly number[]
}

/** A reaction to a cast. */
export type ReactionFields = {
  readonly type: number
  /** The key of the cast. */
  readonly target: Uint8Array
}

export type LinkFields = {
  readonly type: string
  /** The target fid; 0 when there is none. */
  readonly target: number
}

export type CompactFields = { readonly type: string; readonly targets: readonly number[] }

/** Names a cast in the views: 24 bytes. */
export const castKey = (fid: number, hash: Uint8Array): Uint8Array =>
  keyOfPart(fid, hash, 0, hash.length)

/** The hash is bytes[start, end). A loop copies 20 bytes faster than a subarray and `set`. */
function keyOfPart(fid: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
  const key = new Uint8Array(FID_BYTES + end - start)
  key[0] = fid >>> 24
  key[1] = fid >>> 16
  key[2] = fid >>> 8
  key[3] = fid
  for (let i = start; i < end; i++) key[FID_BYTES + i - start] = bytes[i]!
  return key
}

export const fidOfKey = (key: Uint8Array): number =>
  ((key[0]! << 24) | (key[1]! << 16) | (key[2]! << 8) | key[3]!) >>> 0

/** Finds fields with these numbers and wire types. A message with any other field is decoded instead. */
function fields(wireTypes: Readonly<Record<number, number>>): FoundFields {
  const size = Math.max(...Object.keys(wireTypes).map(Number)) + 1
  return new FoundFields({
    wireTypes: Int8Array.from({ length: size }, (_, number) => wireTypes[number] ?? -1),
    isList: new Uint8Array(size),
  })
}

// By the numbers in proto/message.proto.
const HEAD = { 1: WIRE_VARINT, 2: WIRE_VARINT, 3: WIRE_VARINT, 4: WIRE_VARINT }
const BODIES = { cast: 5, reaction: 7, link: 14 } as const
const CAST = { parentCastId: 3, text: 4, mentionsPositions: 5, parentUrl: 7, type: 8 } as const
const REACTION = { type: 1, targetCastId: 2 } as const
const LINK = { type: 1, displayTimestamp: 2, targetFid: 3 } as const
const CAST_ID = { fid: 1, hash: 2 } as const

const DATA = {
  cast: fields({ ...HEAD, [BODIES.cast]: WIRE_BYTES }),
  reaction: fields({ ...HEAD, [BODIES.reaction]: WIRE_BYTES }),
  link: fields({ ...HEAD, [BODIES.link]: WIRE_BYTES }),
}
const FOUND = {
  cast: fields({
    [CAST.parentCastId]: WIRE_BYTES,
    [CAST.text]: WIRE_BYTES,
    [CAST.mentionsPositions]: WIRE_BYTES,
    [CAST.parentUrl]: WIRE_BYTES,
    [CAST.type]: WIRE_VARINT,
  }),
  reaction: fields({ [REACTION.type]: WIRE_VARINT, [REACTION.targetCastId]: WIRE_BYTES }),
  link: fields({
    [LINK.type]: WIRE_BYTES,
    [LINK.displayTimestamp]: WIRE_VARINT,
    [LINK.targetFid]: WIRE_VARINT,
  }),
  castId: fields({ [CAST_ID.fid]: WIRE_VARINT, [CAST_ID.hash]: WIRE_BYTES }),
}

/** Finds the fields of the body of a message. Undefined when the message has to be decoded. */
function foundIn(data: Uint8Array, kind: keyof typeof BODIES): FoundFields | undefined {
  const { starts, ends } = DATA[kind]
  const body = BODIES[kind]
  if (!DATA[kind].find(data, 0, data.length) || !isSent(DATA[kind], body)) return undefined
  return FOUND[kind].find(data, starts[body]!, ends[body]!) ? FOUND[kind] : undefined
}

const isSent = ({ starts }: FoundFields, number: number) => starts[number] !== -1

const integerOf = (found: FoundFields, number: number): number =>
  isSent(found, number) ? found.integers[number]! : 0

function textOf(data: Uint8Array, { starts, ends }: FoundFields, number: number): string {
  const start = starts[number]!
  return start === -1 ? '' : asBuffer(data).toString('utf8', start, ends[number])
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length)

/** The key of the cast in a CastId field. Undefined when the message has to be decoded. */
function keyIn(
  data: Uint8Array,
  { starts, ends }: FoundFields,
  number: number,
): Uint8Array | undefined {
  const found = FOUND.castId
  const { hash, fid } = CAST_ID
  if (!found.find(data, starts[number]!, ends[number]!) || !isSent(found, hash)) return undefined
  return keyOfPart(integerOf(found, fid), data, found.starts[hash]!, found.ends[hash]!)
}

const decodedBody = (data: Uint8Array): MessageData['body'] =>
  fromBinary(MessageDataSchema, data, { readUnknownFields: false }).body

const keyOf = ({ fid, hash }: CastId) => castKey(Number(fid), hash)

/** Reads the fields of a cast from serialised MessageData. Undefined when it is not a cast. */
export function castFields(data: Uint8Array): CastFields | undefined {
  const found = foundIn(data, 'cast')
  if (!found) return decodedCast(data)
  const isReply = isSent(found, CAST.parentCastId)
  const hasUrl = isSent(found, CAST.parentUrl)
  const parent = isReply ? keyIn(data, found, CAST.parentCastId) : undefined
  if (isReply && (hasUrl || !parent)) return decodedCast(data)
  return {
    text: textOf(data, found, CAST.text),
    parent,
    url: hasUrl ? textOf(data, found, CAST.parentUrl) : undefined,
    urls: NONE,
    quotes: NONE,
    mentions: NONE,
  }
}

const NONE: readonly never[] = []

function decodedCast(data: Uint8Array): CastFields | undefined {
  const body = decodedBody(data)
  if (body.case !== 'castAddBody') return undefined
  const { text, parent, embeds, embedsDeprecated, mentions } = body.value
  const urls = [...embedsDeprecated]
  const quotes: Uint8Array[] = []
  for (const { embed } of embeds) {
    if (embed.case === 'url') urls.push(embed.value)
    else if (embed.case === 'castId') quotes.push(keyOf(embed.value))
  }
  return {
    text,
    parent: parent.case === 'parentCastId' ? keyOf(parent.value) : undefined,
    url: parent.case === 'parentUrl' ? parent.value : undefined,
    urls,
    quotes,
    mentions: mentions.map(Number),
  }
}

/** Reads the fields of a reaction from serialised MessageData. Undefined when it is not a reaction to a cast. */
export function reactionFields(data: Uint8Array): ReactionFields | undefined {
  const found = foundIn(data, 'reaction')
  const hasCast = found && isSent(found, REACTION.targetCastId)
  const target = hasCast && keyIn(data, found, REACTION.targetCastId)
  return target ? { type: integerOf(found, REACTION.type), target } : decodedReaction(data)
}

function decodedReaction(data: Uint8Array): ReactionFields | undefined {
  const body = decodedBody(data)
  if (body.case !== 'reactionBody' || body.value.target.case !== 'targetCastId') return undefined
  return { type: body.value.type, target: keyOf(body.value.target.value) }
}

/** Reads the fields of a link from serialised MessageData. Undefined when it is not a link. */
export function linkFields(data: Uint8Array): LinkFields | undefined {
  const found = foundIn(data, 'link')
  if (found) {
    return { type: textOf(data, found, LINK.type), target: integerOf(found, LINK.targetFid) }
  }
  const body = decodedBody(data)
  if (body.case !== 'linkBody') return undefined
  return { type: body.value.type, target: Number(body.value.target.value ?? 0n) }
}

/** Reads the fields of a LinkCompactState from serialised MessageData. Undefined when it is of another type. */
export function compactFields(data: Uint8Array): CompactFields | undefined {
  const body = decodedBody(data)
  if (body.case !== 'linkCompactStateBody') return undefined
  return { type: body.value.type, targets: body.value.targetFids.map(Number) }
}
