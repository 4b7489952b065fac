import { sha256 } from '@noble/hashes/sha2.js'
import { Rejection } from './rejection.ts'

// Shards split the fids of a network, so that messages of different shards are merged at the same time. Shards are
// numbered from 1, as in deployed networks.

export const MAX_SHARDS = 16

/** Consecutive event ids, one for each shard: with several shards, the lowest bits of an id tell its shard. */
export const IDS_PER_TURN = 64

const FIDS = 2 ** 32

/** The shard of a fid: the rule of the deployed network. */
export const shardOfFid = (fid: number, shards: number): number =>
  shards === 1 ? 1 : (hashOfFid(fid) % shards) + 1

/** Fids whose hashes are kept, each in the place of its lowest bits: a message needs its author's more than once. */
const KEPT_FIDS = 2 ** 14
const keptFids = new Float64Array(KEPT_FIDS).fill(-1)
const keptHashes = new Uint32Array(KEPT_FIDS)

/** The first four bytes of SHA-256 of the fid as four bytes. */
function hashOfFid(fid: number): number {
  const place = fid % KEPT_FIDS
  if (keptFids[place] !== fid) {
    const bytes = new DataView(new ArrayBuffer(4))
    bytes.setUint32(0, fid % FIDS)
    const hash = new DataView(sha256(new Uint8Array(bytes.buffer)).buffer)
    keptHashes[place] = hash.getUint32(0)
    keptFids[place] = fid
  }
  return keptHashes[place]!
}

/** Throws a Rejection when data with several shards have no such one. One shard takes any number, as it always did. */
export function checkShard(shard: number, shards: number, field: string): void {
  if (shards === 1 || shard <= shards) return
  const text = `this hub has the shards 1 to ${shards}`
  throw new Rejection('bad_request.invalid_param', text, { field })
}

/** The shard of an event, and of the message whose merge it reported. */
export const shardOfId = (id: number, shards: number): number =>
  shards === 1 ? 1 : (id % IDS_PER_TURN) + 1
