// Rules that several message bodies share. Each throws a Rejection that names the field at fault.

import { utf8Length } from '../codec/bytes.ts'
import { Rejection, type RejectionCode } from '../rejection.ts'
import {
  ADDRESS_BYTES,
  HASH_BYTES,
  LINK_TYPE_BYTES,
  MAX_FID,
  MAX_URL_BYTES,
  SOL_ADDRESS_BYTES,
} from '../sizes.ts'
import type { CastId } from '../wire/message_pb.js'
import { Protocol } from '../wire/message_pb.js'

/** A Rejection validation_failure (or of another code) about a field. */
export function invalid(
  text: string,
  field: string,
  code: RejectionCode = 'bad_request.validation_failure',
): Rejection {
  return new Rejection(code, text, { field })
}

/** Throws unless the fid is 1 to 2^32 - 1. */
export function checkFid(fid: bigint | undefined, field: string): void {
  const fault = faultOfFid(fid)
  if (fault) throw invalid(fault, field)
}

function faultOfFid(fid: bigint | undefined): string | undefined {
  if (fid === undefined || fid === 0n) return 'fid is missing'
  return fid > BigInt(MAX_FID) ? 'fid must be below 2^32' : undefined
}

/** Throws unless the hash has 20 bytes. */
export function checkHash(hash: Uint8Array, field: string): void {
  const fault = faultOfHash(hash)
  if (fault) throw invalid(fault, field)
}

function faultOfHash(hash: Uint8Array): string | undefined {
  if (hash.length === 0) return 'hash is missing'
  return hash.length === HASH_BYTES ? undefined : `hash must be ${HASH_BYTES} bytes`
}

/** Throws unless fid and hash are valid. Both faults are in one text, as deployed hubs answer. */
export function checkCastId(castId: CastId, field: string): void {
  const fid = faultOfFid(castId.fid)
  const hash = faultOfHash(castId.hash)
  if (!fid && !hash) return
  const text = [fid, hash].filter((fault) => fault !== undefined).join(', ')
  throw invalid(text, `${field}.${fid ? 'fid' : 'hash'}`)
}

/** Throws unless the url has 1 to 256 bytes of UTF-8. Its syntax is not checked. */
export function checkUrl(url: string, field: string): void {
  if (url === '') throw invalid('url < 1 byte', field, 'bad_request.invalid_param')
  if (utf8Length(url) > MAX_URL_BYTES) {
    throw invalid(`url > ${MAX_URL_BYTES} bytes`, field, 'bad_request.invalid_param')
  }
}

/** Throws unless a link type has 1 to 8 bytes and no zero byte, with which keys pad it. */
export function checkLinkType(type: string, field: string): void {
  const length = utf8Length(type)
  if (length < 1 || length > LINK_TYPE_BYTES) {
    throw invalid(`type must be between 1-${LINK_TYPE_BYTES} bytes`, field)
  }
  if (type.includes('\0')) throw invalid('type must not contain NUL', field)
}

/** Throws unless the protocol is known and the address has its length. `body` names where both are. */
export function checkAddress(address: Uint8Array, protocol: Protocol, body: string): void {
  const kind = ADDRESS_KINDS[protocol]
  if (!kind) throw invalid('invalid verification protocol', `${body}.protocol`)
  const [name, length] = kind
  if (address.length === 0) throw invalid(`${name} is missing`, `${body}.address`)
  if (address.length !== length) throw invalid(`${name} must be ${length} bytes`, `${body}.address`)
}

const ADDRESS_KINDS: Readonly<Record<number, readonly [string, number]>> = {
  [Protocol.ETHEREUM]: ['Ethereum address', ADDRESS_BYTES],
  [Protocol.SOLANA]: ['solana address', SOL_ADDRESS_BYTES],
}
