// The trie of a shard as a hub of the deployed network describes it: counts and hashes below a prefix. It is computed
// from the keys each time, slowly and plainly: programs that compute such hashes in another way are compared with it.

import { createHash } from 'node:crypto'
import { blake3 } from '@noble/hashes/blake3.js'
import type { OnChainEvent } from '../../src/kernel/protocol/wire/onchain_event_pb.js'

/** Half bytes of a bucket, a fid and a type: nodes up to here are never shortened. */
const NEVER_SHORTENED = 12
const BUCKETS = 256
const NAME_BYTES = 20
const FNAME_TYPE = 7

export type TrieNode = {
  readonly items: number
  readonly hash: string
  readonly children: readonly { prefix: Uint8Array; items: number; hash: string }[]
}

/** A number of a fid below `n`: which shard, and which bucket of the trie, it belongs to. */
export function bucketOf(fid: number, n: number): number {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(fid)
  return createHash('sha256').update(bytes).digest().readUInt32BE(0) % n
}

function fidKey(fid: number): Buffer {
  const key = Buffer.alloc(5)
  key.writeUInt8(bucketOf(fid, BUCKETS))
  key.writeUInt32BE(fid, 1)
  return key
}

/** The prefix of all messages of one type of a fid. */
export const typePrefix = (fid: number, type: number): string =>
  Buffer.concat([fidKey(fid), Buffer.of(type << 3)]).toString('hex')

/** Keys are texts of hex digits: a digit for each level of the trie. */
export const messageKey = (fid: number, type: number, hash: string): string =>
  typePrefix(fid, type) + hash

export function chainEventKey(event: OnChainEvent): string {
  const index = Buffer.alloc(4)
  index.writeUInt32BE(event.logIndex)
  const prefix = Buffer.concat([fidKey(Number(event.fid)), Buffer.of(event.type)])
  return Buffer.concat([prefix, event.transactionHash, index]).toString('hex')
}

export function nameKey(fid: number, name: Uint8Array): string {
  const padded = Buffer.alloc(Math.max(NAME_BYTES, name.length))
  padded.set(name)
  return Buffer.concat([fidKey(fid), Buffer.of(FNAME_TYPE), padded]).toString('hex')
}

/** The node at a prefix; undefined when the trie has none. */
export function trieNode(keys: Iterable<string>, prefix: Uint8Array): TrieNode | undefined {
  const path = Buffer.from(prefix).toString('hex')
  const parent = path.slice(0, Math.max(0, path.length - 1))
  const near = [...keys].filter((key) => key.startsWith(parent))
  const below = near.filter((key) => key.startsWith(path)).sort()
  // A key that is alone below its type is a leaf there, and has no nodes further down.
  if (below.length === 0 || (path.length > NEVER_SHORTENED && near.length === 1)) return undefined
  return {
    items: below.length,
    hash: hashBelow(below, path.length),
    children: isLeaf(below, path.length)
      ? []
      : [...byDigit(below, path.length)].map(([digit, own]) => ({
          prefix: digitsOf(path + digit),
          items: own.length,
          hash: hashBelow(own, path.length + 1),
        })),
  }
}

const isLeaf = (keys: readonly string[], depth: number) =>
  keys.length === 1 && depth >= NEVER_SHORTENED

function hashBelow(keys: readonly string[], depth: number): string {
  if (isLeaf(keys, depth)) return hash20(digitsOf(keys[0]!))
  const hashes = [...byDigit(keys, depth).values()].map((own) => hashBelow(own, depth + 1))
  return hash20(Buffer.from(hashes.join(''), 'hex'))
}

/** Sorted keys by their digit at a depth, in the order of the digits. */
const byDigit = (keys: readonly string[], depth: number): Map<string, string[]> =>
  Map.groupBy(keys, (key) => key[depth]!)

/** A byte for each half byte. */
const digitsOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex, (digit) => Number.parseInt(digit, 16))

const hash20 = (bytes: Uint8Array): string =>
  Buffer.from(blake3(bytes, { dkLen: 20 })).toString('hex')
