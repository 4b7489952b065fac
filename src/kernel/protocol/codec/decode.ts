// Messages from bytes and to bytes.

import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { hashOf } from '../crypto/hash.ts'
import { MESSAGE_FORMS, type MessageForm, type SignedMessage } from '../message.ts'
import { Rejection } from '../rejection.ts'
import { NO_BYTES } from '../sizes.ts'
import type { Message, MessageData } from '../wire/message_pb.js'
import { MessageDataSchema, MessageSchema } from '../wire/message_pb.js'
import { equalBytes } from './bytes.ts'
import { deployedEncodings } from './deployed-encodings.ts'
import { fieldFault, findWireFault, rulesOf } from './wire-rules.ts'
import { FieldScan, fieldBytes, readVarint, scanFields, WIRE_BYTES } from './wire-scan.ts'

/** The largest possible message, in bytes: 64 KiB of data, sent twice, and the envelope. */
export const MAX_MESSAGE_BYTES = 2 * 65_536 + 1024

/** Most messages in one bulk submit, as in deployed hubs. */
export const MAX_BULK_MESSAGES = 256

const FIELDS = {
  data: 1,
  hash: 2,
  hashScheme: 3,
  signature: 4,
  signatureScheme: 5,
  signer: 6,
  dataBytes: 7,
} as const
const ENVELOPE_RULES = rulesOf(MessageSchema)
const LAST_FIELD = FIELDS.dataBytes

/**
 * Decodes one serialised Message of at most MAX_MESSAGE_BYTES that all decoders read alike; nothing else is checked.
 * Every message that others send passes through here. Non-empty `data_bytes` wins over `data`. A message with `data`
 * alone has its bytes as received, or, when only the encoding of a deployed hub has the message's hash, that encoding.
 * Throws Rejection parse_failure, or validation_failure when there is no data at all.
 */
export function decodeMessage(bytes: Uint8Array): SignedMessage {
  const message = decoded(bytes, checkedData)
  return message.form === MESSAGE_FORMS.data ? withHashedBytes(message) : message
}

/**
 * The same for bytes that this program wrote with `encodeEnvelope`: their data bytes are known to be
 * those of the hash. Earlier versions stored messages that only some decoders can read: those are decoded too.
 */
export const decodeStored = (bytes: Uint8Array): SignedMessage => decoded(bytes, decodeData)

function decoded(bytes: Uint8Array, dataOf: typeof decodeData): SignedMessage {
  if (bytes.length > MAX_MESSAGE_BYTES) throw unreadable(`message > ${MAX_MESSAGE_BYTES} bytes`)
  const envelope = readEnvelope(bytes)
  const raw = envelope.bytes(FIELDS.data)
  const own = envelope.bytes(FIELDS.dataBytes)
  const dataBytes = own.length > 0 ? own : raw
  if (dataBytes.length === 0) {
    throw new Rejection('bad_request.validation_failure', 'message data is missing', {
      field: 'data',
    })
  }
  const data = dataOf(dataBytes, own.length > 0 ? 'dataBytes' : 'data')
  return {
    data,
    fid: Number(data.fid),
    dataBytes,
    form: formOf(raw, own),
    hash: envelope.bytes(FIELDS.hash),
    hashScheme: envelope.number(FIELDS.hashScheme),
    signature: envelope.bytes(FIELDS.signature),
    signatureScheme: envelope.number(FIELDS.signatureScheme),
    signer: envelope.bytes(FIELDS.signer),
  }
}

// Encoders that dropped or added empty lists on the way changed the bytes but not the meaning. Only
// encodings of the whole decoded data are tried, so that the hash is over all that the message says.
function withHashedBytes(message: SignedMessage): SignedMessage {
  if (equalBytes(hashOf(message.dataBytes), message.hash)) return message
  for (const dataBytes of deployedEncodings(message.data)) {
    if (equalBytes(hashOf(dataBytes), message.hash)) {
      return { ...message, data: decodeData(dataBytes, 'data'), dataBytes }
    }
  }
  return message
}

/** Serialises a Message that carries `data` and `data_bytes` alike, which every client can read. */
export function encodeMessage(message: SignedMessage): Uint8Array {
  return toBinary(MessageSchema, toWireMessage(message))
}

/** The protobuf object of a message, with `data` and `dataBytes` filled, as events carry it. */
export function toWireMessage(message: SignedMessage): Message {
  return create(MessageSchema, {
    data: message.data,
    hash: message.hash,
    hashScheme: message.hashScheme,
    signature: message.signature,
    signatureScheme: message.signatureScheme,
    signer: message.signer,
    dataBytes: message.dataBytes,
  })
}

/**
 * The reverse of toWireMessage, for messages that this program built: `data` is trusted to be what
 * `dataBytes` says. Messages of others go through decodeMessage.
 */
export function fromWireMessage(wire: Message): SignedMessage {
  const { data, dataBytes } = wire
  if (!data) throw new TypeError('a message made here carries its data')
  const own = dataBytes !== undefined && dataBytes.length > 0
  return {
    data,
    fid: Number(data.fid),
    dataBytes: own ? dataBytes : toBinary(MessageDataSchema, data),
    form: own ? MESSAGE_FORMS.both : MESSAGE_FORMS.data,
    hash: wire.hash,
    hashScheme: wire.hashScheme,
    signature: wire.signature,
    signatureScheme: wire.signatureScheme,
    signer: wire.signer,
  }
}

/** Fields of a SubmitBulkMessagesRequest that are looked at: its messages, and unknown ones of later versions. */
const MAX_BULK_FIELDS = 2 * MAX_BULK_MESSAGES

/**
 * Reads a SubmitBulkMessagesRequest: a message or its Rejection for each element, in order. Throws
 * Rejection when the request itself is unreadable or holds more than MAX_BULK_MESSAGES.
 */
export const decodeBulk = (bytes: Uint8Array): (SignedMessage | Rejection)[] =>
  bulkBodies(bytes).map(messageOrRejection)

/** The same without decoding the messages. */
export function bulkBodies(bytes: Uint8Array): Uint8Array[] {
  const fields = scanFields(bytes, MAX_BULK_FIELDS)
  if (!fields) throw unreadable('not a protobuf message')
  const messages = fields.filter((field) => field.number === 1)
  if (messages.some((field) => field.wireType !== WIRE_BYTES)) {
    throw unreadable('messages must be protobuf messages', 'messages')
  }
  if (messages.length > MAX_BULK_MESSAGES) {
    const text = `Too many messages. Max is ${MAX_BULK_MESSAGES}`
    throw new Rejection('bad_request.invalid_param', text, { field: 'messages' })
  }
  if (fields.length === MAX_BULK_FIELDS) throw unreadable('too many fields')
  return messages.map((field) => fieldBytes(bytes, field))
}

/** How many messages a SubmitBulkMessagesRequest holds, without decoding them; 0 when it is unreadable. */
export const countBulk = (bytes: Uint8Array): number =>
  scanFields(bytes, MAX_BULK_FIELDS)?.filter((field) => field.number === 1).length ?? 0

/** Decodes what `encodeList` wrote, of messages that were decoded before. */
export function decodeList(bytes: Uint8Array): SignedMessage[] {
  return (scanFields(bytes) ?? []).map((field) => decodeStored(fieldBytes(bytes, field)))
}

function messageOrRejection(bytes: Uint8Array): SignedMessage | Rejection {
  try {
    return decodeMessage(bytes)
  } catch (error) {
    if (error instanceof Rejection) return error
    throw error
  }
}

// Each field of the envelope at most once and of its own wire type. Decoders merge a repeated `data`, and
// the result has another hash than either; no client sends one.
function readEnvelope(bytes: Uint8Array) {
  const starts = new Array<number>(LAST_FIELD + 1).fill(NOT_SENT)
  const ends = new Array<number>(LAST_FIELD + 1).fill(NOT_SENT)
  const scan = new FieldScan(bytes)
  while (scan.next()) {
    const { number } = scan
    const rule = ENVELOPE_RULES.get(number)
    if (!rule) continue
    const fault = fieldFault(rule, bytes, scan)
    if (fault) throw unreadable(`${rule.name} ${fault}`, rule.name)
    if (starts[number] !== NOT_SENT) throw unreadable(`${rule.name} occurs twice`, rule.name)
    starts[number] = scan.start
    ends[number] = scan.end
  }
  if (scan.isBroken) throw unreadable('not a protobuf message')
  return {
    bytes(number: number): Uint8Array {
      const start = starts[number]!
      return start === NOT_SENT ? NO_BYTES : bytes.subarray(start, ends[number])
    },
    number(number: number): number {
      const start = starts[number]!
      return start === NOT_SENT ? 0 : (readVarint(bytes, start)?.value ?? 0)
    },
  }
}

/** The place of a field that is not there. */
const NOT_SENT = -1

function checkedData(bytes: Uint8Array, field: string): MessageData {
  const fault = findWireFault(MessageDataSchema, bytes)
  if (!fault) return decodeData(bytes, field)
  const { field: name, what } = fault
  if (name === undefined) throw unreadable(`${field} ${what}`, field)
  const path = name.includes('.') ? name : `data.${name}`
  throw unreadable(`${path} ${what}`, path)
}

// Strings that are not UTF-8 are refused by the codec; unknown fields are skipped and stay in the bytes.
function decodeData(bytes: Uint8Array, field: string): MessageData {
  try {
    return fromBinary(MessageDataSchema, bytes, { readUnknownFields: false })
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : 'undecodable', field)
  }
}

function formOf(raw: Uint8Array, own: Uint8Array): MessageForm {
  if (own.length === 0) return MESSAGE_FORMS.data
  return raw.length === 0 ? MESSAGE_FORMS.dataBytes : MESSAGE_FORMS.both
}

function unreadable(reason: string, field?: string): Rejection {
  const text = `Could not parse Message: ${reason}`
  return new Rejection('bad_request.parse_failure', text, { field })
}
