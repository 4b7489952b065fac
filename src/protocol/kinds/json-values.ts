// Values that several JSON bodies share, with their schemas.

import type { DescEnum } from '@bufbuild/protobuf'
import { base58 } from '@scure/base'
import { toHex } from '../bytes.ts'
import { HASH_BYTES } from '../hash.ts'
import { hex, integer, type JsonSchema, object, oneOf } from '../json-schema.ts'
import type { CastId } from '../wire/message_pb.js'
import { Protocol, ProtocolSchema } from '../wire/message_pb.js'
import type { JsonObject } from './kind.ts'

/**
 * The full protobuf name of an enum's number. A number without a name can only be in a message that
 * did not pass the checks; it gives UNRECOGNIZED_ and the number.
 */
export function namesOf(schema: DescEnum): (number: number) => string {
  const names = new Map(schema.values.map((value) => [value.number, value.name]))
  return (number) => names.get(number) ?? `UNRECOGNIZED_${number}`
}

/** The schema of an enum's names; `without` is the value that no valid message has. */
export function enumSchema(schema: DescEnum, without?: number): JsonSchema {
  return oneOf(schema.values.filter(({ number }) => number !== without).map(({ name }) => name))
}

/** A cast id: fid as a number, hash as hex. */
export function castIdJson(castId: CastId): JsonObject {
  return { fid: Number(castId.fid), hash: toHex(castId.hash) }
}

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
