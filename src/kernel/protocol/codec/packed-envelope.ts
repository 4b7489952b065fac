// Messages as stores hand them over, and the same with what the wire has around it. Written by hand, because a page has
// a thousand of them: there is nothing to decode, and each byte is copied once.

/** Hash, signer, signature and data of a message, one after the other. */
export type PackedEnvelope = Uint8Array

/** Where they begin. */
export const PACKED_AT = { hash: 0, signer: 20, signature: 52, data: 116 } as const

/** What an event says besides its message. */
export type EventHead = {
  readonly type: number
  readonly id: number
  /** Network seconds. */
  readonly timestamp: number
}

/** Fields of a HubEvent. */
const EVENT = { type: 1, id: 2, mergeMessage: 3, timestamp: 15 } as const

/** Fields 2 to 6: the hash, its scheme, the signature, its scheme, the signer. */
const FIXED_BYTES = 22 + 2 + 66 + 2 + 34
/** Longer parts are copied by the engine. */
const MAX_LOOP_BYTES = 256

/** Encodes a Message with its data in both fields, `data` and `data_bytes`: some clients read only one of them. */
export function encodePacked(packed: PackedEnvelope): Uint8Array {
  const bytes = Buffer.allocUnsafe(encodedSize(packed))
  writeMessage(bytes, 0, packed)
  return bytes
}

/** A MessagesResponse of such messages and, unless it is the last page, the token of the next one. */
export function encodePackedMessages(
  messages: readonly PackedEnvelope[],
  nextPageToken: Uint8Array | undefined,
): Uint8Array {
  let size = nextPageToken ? fieldSize(nextPageToken.length) : 0
  for (const packed of messages) size += fieldSize(encodedSize(packed))
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const packed of messages) {
    at = writeHead(bytes, at, 1, encodedSize(packed))
    at = writeMessage(bytes, at, packed)
  }
  if (nextPageToken) writeField(bytes, at, 2, nextPageToken, 0, nextPageToken.length)
  return bytes
}

/** A HubEvent that a message was merged and replaced none. */
export function encodePackedMerge(packed: PackedEnvelope, head: EventHead): Uint8Array {
  const { type, id, timestamp } = head
  const size = encodedSize(packed)
  const body = fieldSize(size)
  const numbers = numberSize(type) + numberSize(id) + numberSize(timestamp)
  const bytes = Buffer.allocUnsafe(numbers + fieldSize(body))
  let at = writeNumber(bytes, 0, EVENT.type, type)
  at = writeNumber(bytes, at, EVENT.id, id)
  at = writeNumber(bytes, at, EVENT.timestamp, timestamp)
  at = writeHead(bytes, at, EVENT.mergeMessage, body)
  at = writeHead(bytes, at, 1, size)
  writeMessage(bytes, at, packed)
  return bytes
}

/** Bytes of the Message of a packed envelope. */
export const encodedSize = ({ length }: PackedEnvelope): number =>
  FIXED_BYTES + 2 * fieldSize(length - PACKED_AT.data)

/** Bytes of a length-delimited field whose number is below 16. */
function fieldSize(length: number): number {
  let size = 2 + length
  for (let rest = length; rest >= 128; rest >>>= 7) size++
  return size
}

/** Writes a message and returns where it ends. */
function writeMessage(bytes: Uint8Array, start: number, packed: PackedEnvelope): number {
  const { hash, signer, signature, data } = PACKED_AT
  let at = writeField(bytes, start, 1, packed, data, packed.length)
  at = writeField(bytes, at, 2, packed, hash, signer)
  at = writeOne(bytes, at, 3)
  at = writeField(bytes, at, 4, packed, signature, data)
  at = writeOne(bytes, at, 5)
  at = writeField(bytes, at, 6, packed, signer, signature)
  return writeField(bytes, at, 7, packed, data, packed.length)
}

/** The tag and length of a length-delimited field. */
function writeHead(bytes: Uint8Array, start: number, field: number, length: number): number {
  let at = start
  bytes[at++] = field * 8 + 2
  let rest = length
  for (; rest >= 128; rest >>>= 7) bytes[at++] = (rest & 127) | 128
  bytes[at++] = rest
  return at
}

function writeField(
  bytes: Uint8Array,
  start: number,
  field: number,
  source: Uint8Array,
  from: number,
  to: number,
): number {
  let at = writeHead(bytes, start, field, to - from)
  if (to - from > MAX_LOOP_BYTES) {
    bytes.set(source.subarray(from, to), at)
    return at + to - from
  }
  for (let i = from; i < to; i++) bytes[at++] = source[i]!
  return at
}

/** Writes a varint field with the value 1: there is one hash scheme and one signature scheme. */
function writeOne(bytes: Uint8Array, at: number, field: number): number {
  bytes[at] = field * 8
  bytes[at + 1] = 1
  return at + 2
}

/** Bytes of a number field below 16. */
function numberSize(value: number): number {
  let size = 2
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
  return size
}

/** A number field; the number may be as large as an event id. */
function writeNumber(bytes: Uint8Array, start: number, field: number, value: number): number {
  let at = start
  bytes[at++] = field * 8
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) + 128
  bytes[at++] = rest
  return at
}
