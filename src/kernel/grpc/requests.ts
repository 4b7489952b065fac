// Reads requests. Error codes and texts are those of the HTTP parameters.

import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { MAX_SHARD } from '../hub/parameters.ts'
import type { Target } from '../hub/reads/reads.ts'
import { Rejection } from '../protocol/rejection.ts'
import { HASH_BYTES, LINK_TYPE_BYTES, MAX_FID, MAX_URL_BYTES } from '../protocol/sizes.ts'
import { MAX_NETWORK_SECONDS } from '../protocol/time.ts'
import type { CastId } from '../protocol/wire/message_pb.js'
import { ReactionType } from '../protocol/wire/message_pb.js'

/** Items on a page when the request does not say, and at most: clients that never page get what they expect. */
export const MAX_ITEMS = 10_000

/** The message of a request. Throws Rejection parse_failure. */
export function decodeRequest<S extends DescMessage>(
  schema: S,
  bytes: Uint8Array,
): MessageShape<S> {
  try {
    return fromBinary(schema, bytes, { readUnknownFields: false })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'undecodable'
    throw new Rejection('bad_request.parse_failure', `Could not parse ${schema.name}: ${reason}`)
  }
}

const invalid = (field: string, text: string) =>
  new Rejection('bad_request.invalid_param', text, { field })
const failed = (field: string, text: string) =>
  new Rejection('bad_request.validation_failure', text, { field })

export function readFid(value: bigint | undefined, field = 'fid'): number {
  if (!value) throw failed(field, `${field} is missing`)
  if (value > BigInt(MAX_FID)) throw failed(field, `${field} must be at most ${MAX_FID}`)
  return Number(value)
}

/** Throws unless the request names no shard or the only one. */
export function checkShard(value: number | bigint | undefined, field: string): void {
  if (value === undefined || value <= MAX_SHARD) return
  throw invalid(field, `${field} must be 0 or ${MAX_SHARD}: this hub has one shard`)
}

export function readBytes(bytes: Uint8Array, length: number, label: string): Uint8Array {
  if (bytes.length === 0) throw failed(label, `${label} is missing`)
  if (bytes.length !== length) throw failed(label, `${label} must be ${length} bytes`)
  return bytes
}

export function readCastId({ fid, hash }: Pick<CastId, 'fid' | 'hash'>) {
  return { fid: readFid(fid), hash: readBytes(hash, HASH_BYTES, 'hash') }
}

type CastOrUrl =
  | { readonly case: 'parentCastId' | 'targetCastId'; readonly value: CastId }
  | { readonly case: 'parentUrl' | 'targetUrl'; readonly value: string }
  | { readonly case: undefined; readonly value?: undefined }

/** The cast or url of a request; undefined when it names none. */
function readTarget(given: CastOrUrl): Target | undefined {
  const { value } = given
  if (typeof value === 'object') return readCastId(value)
  return value ? { url: readText(value, MAX_URL_BYTES, 'url') } : undefined
}

export function readRequiredTarget(given: CastOrUrl): Target {
  const target = readTarget(given)
  if (target) return target
  const text = 'a target is needed: target_fid and target_hash of a cast, or target_url'
  throw failed('target', text)
}

export function readParent(given: CastOrUrl): Target {
  const parent = readTarget(given)
  if (parent) return parent
  throw invalid('parent', 'Parent cast identifier must be provided')
}

function readText(text: string, maxBytes: number, field: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  throw invalid(field, `${field} must be at most ${maxBytes} bytes`)
}

/** 1 or 2; undefined for 0 and when absent, which stand for all types. */
export function readReactionType(type: ReactionType | undefined): number | undefined {
  if (!type) return undefined
  if (type === ReactionType.LIKE || type === ReactionType.RECAST) return type
  throw invalid('reaction_type', 'reaction_type must be LIKE, RECAST')
}

/** Undefined when absent or empty, which stand for all types. */
export function readLinkType(type: string | undefined): string | undefined {
  return type ? readText(type, LINK_TYPE_BYTES, 'link_type') : undefined
}

/** The type of a reaction or link that is asked for by its id. */
export function requireType<T>(type: T | undefined, field: string): T {
  if (type === undefined) throw failed(field, 'targetId provided without type')
  return type
}

/** Network seconds; undefined for 0 and when absent. */
export function readSeconds(value: bigint | undefined, field: string): number | undefined {
  if (!value) return undefined
  if (value > BigInt(MAX_NETWORK_SECONDS)) {
    throw invalid(field, `${field} must be at most ${MAX_NETWORK_SECONDS}`)
  }
  return Number(value)
}

/** An event id; above 2^53 the largest one, which no event ever has. */
export const readEventId = (id: bigint): number =>
  id > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(id)

export type PageFields = {
  readonly pageSize?: number | undefined
  readonly pageToken?: Uint8Array | undefined
  readonly reverse?: boolean | undefined
}

export type ListRequest = {
  /** 1 ... MAX_ITEMS. */
  readonly size: number
  readonly token: Uint8Array | undefined
  readonly reverse: boolean
}

/** The page that a request asks for. */
export function readPage(
  { pageSize, pageToken, reverse = false }: PageFields,
  defaultSize = MAX_ITEMS,
): ListRequest {
  const size = Math.min(pageSize || defaultSize, MAX_ITEMS)
  return { size, token: pageToken?.length ? pageToken : undefined, reverse }
}
