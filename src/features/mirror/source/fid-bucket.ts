import { createHash } from 'node:crypto'

/** Which of `n` buckets a fid is in: shards and tries of Snapchain place fids so. */
export function fidBucket(fid: number, n: number): number {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(fid)
  return createHash('sha256').update(bytes).digest().readUInt32BE(0) % n
}

/** The shard of Snapchain whose lists and events decide about a fid's messages. */
export const homeShard = (fid: number, shards: number): number => fidBucket(fid, shards) + 1
