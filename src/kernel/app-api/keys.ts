import { u32be } from '../protocol/codec/bytes.ts'
import { FID_BYTES } from '../protocol/sizes.ts'

// A cast is named by a key: its author's fid (4 bytes, big-endian) and its hash (20 bytes).

/** The key of a cast. */
export const castKey = (fid: number, hash: Uint8Array): Uint8Array =>
  Buffer.concat([u32be(fid), hash])

export const fidOfKey = (key: Uint8Array): number =>
  ((key[0]! << 24) | (key[1]! << 16) | (key[2]! << 8) | key[3]!) >>> 0

export const hashOfKey = (key: Uint8Array): Uint8Array => key.subarray(FID_BYTES)

/** A key as a string, for maps. */
export const nameOfKey = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
