// The parts that slot and list keys are made of. Each part but the last has a fixed length, so that
// different things never share a key.

import { concatBytes, toUtf8 } from '../codec/bytes.ts'
import { hashOf } from '../crypto/hash.ts'
import { LINK_TYPE_BYTES } from '../sizes.ts'
import type { CastId } from '../wire/message_pb.js'
import type { MessageSet } from './kind.ts'

const CAST_TARGET = 1
const URL_TARGET = 2

/**
 * The key of a slot, unique in the whole hub: set (1 byte), author's fid (4 bytes; 0 for slots that
 * are shared by all authors), then the key within the set.
 */
export function slotKeyOf(set: MessageSet, fid: number, ...key: readonly Uint8Array[]): Uint8Array {
  return concatBytes(fidKey(set.number, fid), ...key)
}

/** A byte and a fid: one array, because small arrays cost more than what is copied into them. */
const fidKey = (first: number, fid: number): Uint8Array =>
  Uint8Array.of(first, fid >>> 24, fid >>> 16, fid >>> 8, fid)

/** The key of a cast as parent or reaction target: 25 bytes. */
export function castTargetKey(fid: number, hash: Uint8Array): Uint8Array {
  return concatBytes(fidKey(CAST_TARGET, fid), hash)
}

/** The key of a url as parent or reaction target: 21 bytes. Two spellings are two targets. */
export function urlTargetKey(url: string): Uint8Array {
  return concatBytes(Uint8Array.of(URL_TARGET), hashOf(toUtf8(url)))
}

/** The same as `castTargetKey`, of a cast id on the wire. */
export function castIdKey(castId: CastId): Uint8Array {
  return castTargetKey(Number(castId.fid), castId.hash)
}

/** A link type in 8 bytes, padded with zeros; no checked type contains a zero byte. */
export function paddedLinkType(linkType: string): Uint8Array {
  const padded = new Uint8Array(LINK_TYPE_BYTES)
  padded.set(toUtf8(linkType).subarray(0, LINK_TYPE_BYTES))
  return padded
}
