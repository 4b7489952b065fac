import {
  type BadgeReader,
  SCORE_RECORD_BYTES as RECORD_BYTES,
  type ScoreChunk,
} from './tables/badges.ts'

// The results of a run for each account with a score, stored for explanations.

/** Requirements that an account may lack, as bits. */
export const FAILURES = {
  'below threshold': 1,
  'not active': 2,
  'too few supporters': 4,
  'profile incomplete': 8,
  'beyond the maximum': 16,
} as const
export type Failure = keyof typeof FAILURES

export type ScoreRecord = {
  readonly fid: number
  /** From 1. */
  readonly rank: number
  /** The score: what other accounts give it. */
  readonly score: number
  readonly supporters: number
  /** Bits of FAILURES; the profile is checked only when nothing else fails. */
  readonly failed: number
}

export const failuresOf = (failed: number): Failure[] =>
  (Object.keys(FAILURES) as Failure[]).filter((name) => (failed & FAILURES[name]) !== 0)

/** 40 KiB in each row. */
const RECORDS_PER_CHUNK = 2_048

/** Packs records, ordered by fid, into rows. */
export function* chunksOf(records: Iterable<ScoreRecord>): Generator<ScoreChunk> {
  let list: ScoreRecord[] = []
  for (const record of records) {
    list.push(record)
    if (list.length < RECORDS_PER_CHUNK) continue
    yield encodeChunk(list)
    list = []
  }
  if (list.length > 0) yield encodeChunk(list)
}

function encodeChunk(records: readonly ScoreRecord[]): ScoreChunk {
  const body = Buffer.alloc(records.length * RECORD_BYTES)
  records.forEach(({ fid, rank, score, supporters, failed }, i) => {
    const at = i * RECORD_BYTES
    body.writeUInt32BE(fid, at)
    body.writeUInt32BE(rank, at + 4)
    body.writeFloatBE(score, at + 8)
    body.writeUInt32BE(supporters, at + 12)
    body.writeUInt32BE(failed, at + 16)
  })
  return { firstFid: records[0]!.fid, body }
}

/** The record of an account; undefined for an account without a score. */
export async function readRecord(
  badges: Pick<BadgeReader, 'chunkStarts' | 'chunks'>,
  run: number,
  fid: number,
): Promise<ScoreRecord | undefined> {
  const start = (await badges.chunkStarts(run)).findLast((first) => first <= fid)
  if (start === undefined) return undefined
  const [chunk] = await badges.chunks(run, [start])
  if (!chunk) return undefined
  const { buffer, byteOffset, byteLength } = chunk.body
  const body = new DataView(buffer, byteOffset, byteLength)
  for (let at = 0; at < byteLength; at += RECORD_BYTES) {
    if (body.getUint32(at) !== fid) continue
    return {
      fid,
      rank: body.getUint32(at + 4),
      score: body.getFloat32(at + 8),
      supporters: body.getUint32(at + 12),
      failed: body.getUint32(at + 16),
    }
  }
  return undefined
}
