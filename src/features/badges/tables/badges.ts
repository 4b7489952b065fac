import { FID_BYTES } from '../../../kernel/protocol/sizes.ts'
import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { cursorReader } from '../../../kernel/storage/tables/cursors.ts'
import { KEPT, NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** The set of badge holders that a finished run has computed. */
export type BadgeSet = {
  readonly id: number
  /** Unix ms: when the set was due to be computed. */
  readonly due: number
  /** Unix ms. */
  readonly computedAt: number
  /** JSON about the run, written by the process that computed it. */
  readonly summary: string
  /** Ascending. */
  readonly fids: Uint32Array
}

/** A run that has begun. */
export type BadgeClaim = {
  readonly id: number
  /** The process that computes. */
  readonly claimant: string
}

/** Records of accounts by fid, from `firstFid` on. */
export type ScoreChunk = { readonly firstFid: number; readonly body: Uint8Array }

export const BADGE_RUNS = table('badge_run', {
  id: { type: 'integer', key: true },
  due: { type: 'millis' },
  claimant: { type: 'line', words: false },
  leased_until: { type: 'millis' },
  computed_at: { type: 'millis', null: true },
  summary: { type: 'text', words: false, null: true },
  fids: { type: 'bytes', null: true },
})

/** The scores of a run: many accounts in each row. */
export const BADGE_SCORES = table('badge_score', {
  run: { type: 'integer', key: true },
  first_fid: {
    type: 'fid',
    erasure: KEPT.bookkeeping,
    exported: NOT_EXPORTED.bookkeeping,
    key: true,
  },
  body: { type: 'bytes' },
})

/** The operator's decisions on single fids, which override the computed ones. */
export const BADGE_MARKS = table('badge_mark', {
  fid: { type: 'fid', erasure: KEPT.decision, exported: true, key: true, json: 'fid' },
  kind: { type: 'line', json: 'kind', values: ['add', 'exclude'] },
  reason: { type: 'line', words: false, withheld: WITHHELD.private, json: 'reason' },
  marked_at: { type: 'millis' },
})
export type BadgeMark = RowOf<typeof BADGE_MARKS>

/** Most fids that the operator may add or exclude. */
export const MAX_BADGE_MARKS = 10_000

/** A cursor whose value changes with every finished run and every change of a mark. */
export const BADGES_VERSION = 'power-badges'

/** A record of a score chunk begins with the fid and its rank (from 1), 4 bytes each. */
export const SCORE_RECORD_BYTES = 20

/** The ranks of the accounts of a chunk. */
export function* ranksOf({ body }: ScoreChunk): Generator<{ fid: number; rank: number }> {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  for (let at = 0; at < body.byteLength; at += SCORE_RECORD_BYTES) {
    yield { fid: view.getUint32(at), rank: view.getUint32(at + 4) }
  }
}

export type BadgeReader = ReturnType<typeof badgeReader>

export const badgeReader = (sql: Sql) => ({
  /** The set in force; undefined before the first one is computed. */
  async current(): Promise<BadgeSet | undefined> {
    const [row] = await BADGE_RUNS.select(sql, 'where computed_at is not null')
    if (!row) return undefined
    const { id, due, computed_at, summary, fids } = row
    return { id, due, computedAt: computed_at!, summary: summary!, fids: fidsOfBytes(fids!) }
  },
  /** Another one whenever the answers of `current` or `marks` change; undefined before the first run. */
  version: () => cursorReader(sql).get(BADGES_VERSION),
  /** All marks, by fid. */
  marks: () => BADGE_MARKS.pageByKey(sql, undefined, MAX_BADGE_MARKS),
  mark: (fid: number) => BADGE_MARKS.find(sql, fid),
  markCount: () => BADGE_MARKS.count(sql),
  /** The first fid of each chunk of a run, ascending. */
  async chunkStarts(run: number): Promise<number[]> {
    const text = 'select first_fid from badge_score where run = ? order by first_fid'
    return (await sql.all(text, [run])).map((row) => row.first_fid as number)
  },
  async chunks(run: number, firstFids: readonly number[]): Promise<ScoreChunk[]> {
    const keys = firstFids.map((first_fid) => ({ run, first_fid }))
    const rows = await BADGE_SCORES.findAll(sql, keys)
    return rows.map(({ first_fid, body }) => ({ firstFid: first_fid, body }))
  },
})

export const badgeWriter = (sql: Sql) => ({
  ...badgeReader(sql),
  /** Begins a run, in place of an unfinished one. */
  async claim(due: number, claimant: string): Promise<BadgeClaim> {
    await sql.all('delete from badge_run where computed_at is null', [])
    const id = (await BADGE_RUNS.max(sql, 'id')) + 1
    const unfinished = { computed_at: null, summary: null, fids: null }
    // leased_until is unused: the leader lease replaces it.
    await BADGE_RUNS.insert(sql, [{ id, due, claimant, leased_until: 0, ...unfinished }])
    return { id, claimant }
  },
  /**
   * Puts the set of a claimed run in force and deletes the one before with its chunks. Returns false when the claim is
   * gone.
   */
  async finish(
    { id, claimant }: BadgeClaim,
    { computedAt, summary, fids }: Pick<BadgeSet, 'computedAt' | 'summary' | 'fids'>,
  ): Promise<boolean> {
    const rows = await sql.all(
      `update badge_run set computed_at = ?, summary = ?, fids = ?
        where id = ? and claimant = ? and computed_at is null returning id`,
      [computedAt, summary, bytesOfFids(fids), id, claimant],
    )
    if (rows.length === 0) return false
    await sql.all('delete from badge_run where id <> ?', [id])
    await sql.all('delete from badge_score', [])
    return true
  },
  putChunk: (run: number, { firstFid, body }: ScoreChunk) =>
    BADGE_SCORES.insert(sql, [{ run, first_fid: firstFid, body }]),
  putMark: (mark: BadgeMark) => BADGE_MARKS.upsert(sql, [mark]),
  /** Returns whether there was a mark. */
  removeMark: async (fid: number) => (await BADGE_MARKS.remove(sql, [{ fid }])) > 0,
})

/** Four big-endian bytes for each fid. A set is one value, so that no reader sees half of one. */
function bytesOfFids(fids: Uint32Array): Uint8Array {
  const bytes = Buffer.alloc(fids.length * FID_BYTES)
  fids.forEach((fid, i) => {
    bytes.writeUInt32BE(fid, i * FID_BYTES)
  })
  return bytes
}

function fidsOfBytes(bytes: Uint8Array): Uint32Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Uint32Array.from({ length: bytes.length / FID_BYTES }, (_, i) =>
    buffer.readUInt32BE(i * FID_BYTES),
  )
}

/** `storage.of(badgeRows)` reads these tables, and `tx.of(badgeRows)` writes them. */
export const badgeRows = rowsOf(badgeReader, ({ sql }) => badgeWriter(sql))
