import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { hashOf } from '../../kernel/protocol/crypto/hash.ts'
import { FID_BYTES } from '../../kernel/protocol/sizes.ts'
import { fidBucket } from './source/fid-bucket.ts'

// The trie in which a shard of Snapchain keeps the hashes of its messages: a digit of 4 bits for each level, and the hash of
// a node from those below it. So who has the same messages of a type of a fid has the same hash of their node.

const BUCKETS = 256
/** The numbers below are those of account events and names. */
const TYPE_SHIFT = 3

/** Where the messages of a type of a fid are. */
export function triePrefix(fid: number, type: number): Uint8Array {
  const prefix = Buffer.alloc(1 + FID_BYTES + 1)
  prefix.writeUInt8(fidBucket(fid, BUCKETS))
  prefix.writeUInt32BE(fid, 1)
  prefix.writeUInt8(type << TYPE_SHIFT, 1 + FID_BYTES)
  return prefix
}

/** The hash of the node at this prefix, in hex, when it has these messages; empty when it has none. */
export function rootOf(prefix: Uint8Array, hashes: readonly Uint8Array[]): string {
  if (hashes.length === 0) return ''
  const sorted = hashes.toSorted(Buffer.compare)
  return toHex(nodeHash(digitsOf(prefix), sorted, { from: 0, to: sorted.length }, 0)).slice(2)
}

type Range = { readonly from: number; readonly to: number }

/** Of the node with these messages, whose first digits are the same. */
function nodeHash(
  prefix: Uint8Array,
  sorted: readonly Uint8Array[],
  { from, to }: Range,
  depth: number,
): Uint8Array {
  // A message that is alone is not put any deeper.
  if (to - from === 1) return hashOf(Buffer.concat([prefix, digitsOf(sorted[from]!)]))
  const below: Uint8Array[] = []
  for (let at = from; at < to; ) {
    let end = at + 1
    while (end < to && digitAt(sorted[end]!, depth) === digitAt(sorted[at]!, depth)) end++
    below.push(nodeHash(prefix, sorted, { from: at, to: end }, depth + 1))
    at = end
  }
  return hashOf(Buffer.concat(below))
}

const digitAt = (hash: Uint8Array, depth: number): number =>
  depth % 2 === 0 ? hash[depth >> 1]! >> 4 : hash[depth >> 1]! & 0x0f

function digitsOf(bytes: Uint8Array): Uint8Array {
  const digits = new Uint8Array(2 * bytes.length)
  for (let i = 0; i < digits.length; i++) digits[i] = digitAt(bytes, i)
  return digits
}
