import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import { readOnChainEvent } from '../../kernel/accounts/import.ts'
import { fromHex, toBase64 } from '../../kernel/protocol/codec/bytes.ts'
import { decodeMessage } from '../../kernel/protocol/codec/decode.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import {
  MessageSchema,
  type UserNameProof,
  UserNameProofSchema,
} from '../../kernel/protocol/wire/message_pb.js'
import type { OnChainEvent } from '../../kernel/protocol/wire/onchain_event_pb.js'

// What hubs serve as JSON, read back. Nothing here is believed: messages are verified when they are merged.

/** Hubs of the deployed network name networks otherwise. */
const NETWORK_PREFIX = /^(?:FARCASTER|SOCIAL)_NETWORK_/
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/
/** The only bytes that hubs write as text. */
const TEXT_FIELD = 'UserNameProof.name'
const UNKNOWN = { ignoreUnknownFields: true }

/** The bytes of a message; undefined for JSON that is none. */
export function messageBytes(json: unknown): Uint8Array | undefined {
  return tried(() =>
    toBinary(MessageSchema, fromJson(MessageSchema, withBase64(MessageSchema, json), UNKNOWN)),
  )
}

/** A message of the source, looked into before it is verified; undefined for bytes that are none. */
export const decoded = (message: Uint8Array): SignedMessage | undefined =>
  tried(() => decodeMessage(message))

export const nameProof = (json: unknown): UserNameProof | undefined =>
  tried(() => fromJson(UserNameProofSchema, withBase64(UserNameProofSchema, json), UNKNOWN))

export const chainEvent = (json: unknown): OnChainEvent | undefined =>
  tried(() => readOnChainEvent(json, 'events'))

function tried<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The JSON of a hub as `fromJson` of protobuf reads it: all bytes in base64, and networks by the names of our enum. */
function withBase64(schema: DescMessage, json: unknown): JsonObject {
  if (!isObject(json)) throw new TypeError('not an object')
  const isSolana = json.protocol === 'PROTOCOL_SOLANA'
  const entries = schema.fields.flatMap((field): [string, JsonValue][] => {
    const value = json[field.jsonName]
    if (value === undefined || value === null) return []
    const one = (item: unknown) => shown(field, item, isSolana)
    return [[field.jsonName, Array.isArray(value) ? value.map(one) : one(value)]]
  })
  return Object.fromEntries(entries)
}

function shown(field: DescField, value: unknown, isSolana: boolean): JsonValue {
  if (field.message) return withBase64(field.message, value)
  if (typeof value !== 'string') return value as JsonValue
  if (field.enum) return value.replace(NETWORK_PREFIX, 'NETWORK_')
  if (field.scalar !== ScalarType.BYTES) return value
  if (`${field.parent.name}.${field.localName}` === TEXT_FIELD) {
    return Buffer.from(value).toString('base64')
  }
  if (HEX.test(value)) return toBase64(fromHex(value.toLowerCase())!)
  const isBase58 = isSolana && (field.localName === 'address' || field.localName === 'blockHash')
  return isBase58 ? toBase64(base58.decode(value)) : value
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
