import { setImmediate as otherWork } from 'node:timers/promises'
import {
  type BadgeReader,
  SCORE_RECORD_BYTES as RECORD_BYTES,
  type ScoreChunk,
} from '../../storage/tables/badges.ts'
import { lastIndexUpTo } from './graph.ts'

// The results of a run for each account with any trust, stored for explanations.

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
  /** From 1; 0 for accounts without a score. */
  readonly rank: number
  /** The score: what other accounts give it. */
  readonly score: number
  /** The trust that it passes on, and the weight over which it spreads that. */
  readonly mass: number
  readonly budget: number
  readonly supporters: number
  /** Bits of FAILURES; the profile is checked only when nothing else fails. */
  readonly failed: number
}

export const failuresOf = (failed: number): Failure[] =>
  (Object.keys(FAILURES) as Failure[]).filter((name) => (failed & FAILURES[name]) !== 0)

/** 64 KiB in each row. */
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
  records.forEach(({ fid, rank, score, mass, budget, supporters, failed }, i) => {
    const at = i * RECORD_BYTES
    body.writeUInt32BE(fid, at)
    body.writeUInt32BE(rank, at + 4)
    body.writeFloatBE(score, at + 8)
    body.writeDoubleBE(mass, at + 12)
    body.writeUInt32BE(budget, at + 20)
    body.writeUInt32BE(supporters, at + 24)
    body.writeUInt32BE(failed, at + 28)
  })
  return { firstFid: records[0]!.fid, body }
}

function decodeRecord(body: Buffer, at: number): ScoreRecord {
  return {
    fid: body.readUInt32BE(at),
    rank: body.readUInt32BE(at + 4),
    score: body.readFloatBE(at + 8),
    mass: body.readDoubleBE(at + 12),
    budget: body.readUInt32BE(at + 20),
    supporters: body.readUInt32BE(at + 24),
    failed: body.readUInt32BE(at + 28),
  }
}

/** Rows read at a time, about a megabyte. */
const CHUNKS_PER_READ = 16

/** The records of some accounts; accounts without any trust have none. */
export async function readRecords(
  badges: Pick<BadgeReader, 'chunkStarts' | 'chunks'>,
  run: number,
  fids: Iterable<number>,
): Promise<Map<number, ScoreRecord>> {
  const starts = Uint32Array.from(await badges.chunkStarts(run))
  const wanted = new Set(fids)
  const needed = new Set<number>()
  for (const fid of wanted) {
    const index = lastIndexUpTo(starts, fid)
    if (index >= 0) needed.add(starts[index]!)
  }
  const records = new Map<number, ScoreRecord>()
  const firstFids = [...needed]
  for (let from = 0; from < firstFids.length; from += CHUNKS_PER_READ) {
    const chunks = await badges.chunks(run, firstFids.slice(from, from + CHUNKS_PER_READ))
    for (const { body } of chunks) {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
        if (!wanted.has(bytes.readUInt32BE(at))) continue
        const record = decodeRecord(bytes, at)
        records.set(record.fid, record)
      }
    }
    await otherWork()
  }
  return records
}
