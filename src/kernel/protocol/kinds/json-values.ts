// Values that several JSON bodies share, with their schemas.

import type { DescEnum } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import { toHex } from '../codec/bytes.ts'
import { hex, integer, type JsonSchema, object, oneOf } from '../json/json-schema.ts'
import { HASH_BYTES } from '../sizes.ts'
import type { CastId } from '../wire/message_pb.js'
import { CastIdSchema, Protocol, ProtocolSchema } from '../wire/message_pb.js'
import { jsonByLayout, jsonLayout, namesOf } from './json-layout.ts'
import type { JsonObject } from './kind.ts'

/** The schema of an enum's names; `without` is the value that no valid message has. */
export function enumSchema(schema: DescEnum, without?: number): JsonSchema {
  return oneOf(schema.values.filter(({ number }) => number !== without).map(({ name }) => name))
}

/** A cast id: fid as a number, hash as hex. */
export const castIdLayout = jsonLayout(CastIdSchema, ['fid', 'hash'], { hash: 'hex' })
export const castIdJson = (castId: CastId): JsonObject => jsonByLayout(castIdLayout, castId)

export const castIdSchema = object(
  { fid: integer(), hash: hex('the hash of the cast', HASH_BYTES) },
  { id: 'CastId' },
)

/** Bytes that Solana writes as base58 and everything else as hex. */
export function addressText(address: Uint8Array, protocol: Protocol): string {
  return protocol === Protocol.SOLANA ? base58.encode(address) : toHex(address)
}

export const protocolName = namesOf(ProtocolSchema)
export const protocolSchema = enumSchema(ProtocolSchema)
