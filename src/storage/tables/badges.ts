import { listStatement, type Row, type Sql } from '../engines/sql.ts'
import { cursorReader } from './cursors.ts'
import { queryEach, type RowOf, table } from './table.ts'

/** A finished computation of the set of badge holders. */
export type BadgeRun = {
  /** Only grows; the newest finished run is in force. */
  readonly id: number
  /** Unix ms: when the set was due to be computed. */
  readonly due: number
  /** Unix ms. */
  readonly computedAt: number
  /** JSON about the run, written by the process that computed it. */
  readonly summary: string
  /** The number of badge holders. */
  readonly count: number
}

export type BadgeSet = BadgeRun & {
  /** Ascending. */
  readonly fids: Uint32Array
}

export type BadgeClaim = {
  readonly id: number
  readonly due: number
  /** The process that computes. */
  readonly claimant: string
}

/** Records of accounts by fid, from `firstFid` on. */
export type ScoreChunk = { readonly firstFid: number; readonly body: Uint8Array }

export const BADGE_RUNS = table('badge_run', {
  id: { type: 'integer', key: true },
  due: { type: 'millis' },
  claimant: { type: 'line' },
  leased_until: { type: 'millis' },
  computed_at: { type: 'millis', null: true },
  summary: { type: 'text', null: true },
  fids: { type: 'bytes', null: true },
})

/** What a run found about each account that has any trust: records of many accounts in each row. */
export const BADGE_SCORES = table('badge_score', {
  run: { type: 'integer', key: true },
  first_fid: { type: 'fid', key: true },
  body: { type: 'bytes' },
})

/** The operator's decisions on single fids, which override what is computed. */
export const BADGE_MARKS = table('badge_mark', {
  fid: { type: 'fid', key: true, json: 'fid' },
  kind: { type: 'line', json: 'kind', values: ['add', 'exclude'] },
  reason: { type: 'line', json: 'reason' },
  marked_at: { type: 'millis' },
})
export type BadgeMark = RowOf<typeof BADGE_MARKS>

/** Most fids that the operator may add or exclude. */
export const MAX_BADGE_MARKS = 10_000

/** A cursor whose value changes with every finished run and every change of a mark. */
export const BADGES_VERSION = 'power-badges'

/** A record of a score chunk begins with the fid and its rank (from 1; 0 without a score), 4 bytes each. */
export const SCORE_RECORD_BYTES = 32

/** The ranks of the accounts of a chunk. */
export function* ranksOf({ body }: ScoreChunk): Generator<{ fid: number; rank: number }> {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  for (let at = 0; at < body.byteLength; at += SCORE_RECORD_BYTES) {
    yield { fid: view.getUint32(at), rank: view.getUint32(at + 4) }
  }
}

const RUN_COLUMNS = 'id, due, computed_at, summary, length(fids) as bytes'
const FID_BYTES = 4

const DELETE_CLAIM = listStatement(
  { id: 'bigint' },
  'delete from badge_run where computed_at is null and id in (select id from input)',
)
const DELETE_CHUNKS = listStatement(
  { id: 'bigint' },
  `delete from badge_score where run in (
     select r.id from input i join badge_run r on r.id = i.id and r.computed_at is null)`,
)

export type BadgeReader = ReturnType<typeof badgeReader>

export function badgeReader(sql: Sql) {
  const one = async (rest: string, parameters: number[]): Promise<BadgeSet | undefined> => {
    const [row] = await sql.all(
      `select ${RUN_COLUMNS}, fids from badge_run where computed_at is not null ${rest} limit 1`,
      parameters,
    )
    return row && { ...runOf(row), fids: fidsOfBytes(row.fids as Uint8Array) }
  }
  return {
    /** The set in force; undefined before the first one is computed. */
    current: () => one('order by id desc', []),
    byId: (id: number) => one('and id = ?', [id]),
    /** The stored sets, newest first. */
    async list(limit: number): Promise<BadgeRun[]> {
      const rows = await sql.all(
        `select ${RUN_COLUMNS} from badge_run where computed_at is not null order by id desc limit ?`,
        [limit],
      )
      return rows.map(runOf)
    },
    async claims(): Promise<BadgeClaim[]> {
      const rows = await BADGE_RUNS.select(sql, 'where computed_at is null order by id')
      return rows.map(({ id, due, claimant }) => ({ id, due, claimant }))
    },
    /** The newest id of a claim or a set; 0 when there is none. */
    newestId: () => BADGE_RUNS.max(sql, 'id'),
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
  }
}

export function badgeWriter(sql: Sql) {
  return {
    ...badgeReader(sql),
    claim: ({ id, due, claimant }: BadgeClaim) =>
      BADGE_RUNS.insert(sql, [
        {
          id,
          due,
          claimant,
          // Unused: the leader lease replaces it.
          leased_until: 0,
          computed_at: null,
          summary: null,
          fids: null,
        },
      ]),
    /** Deletes claims and their chunks. */
    async dropClaims(ids: readonly number[]): Promise<void> {
      const rows = ids.map((id) => ({ id }))
      await queryEach(sql, DELETE_CHUNKS, rows)
      await queryEach(sql, DELETE_CLAIM, rows)
    },
    putChunks: (run: number, chunks: readonly ScoreChunk[]) =>
      BADGE_SCORES.insert(
        sql,
        chunks.map(({ firstFid, body }) => ({ run, first_fid: firstFid, body })),
      ),
    /** Puts the set of a claimed run in force; returns false when the claim is gone. */
    async finish(
      { id, claimant }: BadgeClaim,
      { computedAt, summary, fids }: Omit<BadgeSet, 'id' | 'due' | 'count'>,
    ): Promise<boolean> {
      const rows = await sql.all(
        `update badge_run set computed_at = ?, summary = ?, fids = ?
          where id = ? and claimant = ? and computed_at is null returning id`,
        [computedAt, summary, bytesOfFids(fids), id, claimant],
      )
      return rows.length > 0
    },
    /** Deletes all sets but the newest, and the chunks of all but the newest one. */
    async keepNewest(sets: number): Promise<void> {
      const newest = await sql.all(
        'select id from badge_run where computed_at is not null order by id desc limit ?',
        [sets],
      )
      const [last, oldest] = [newest[0], newest.at(-1)]
      if (!last || !oldest) return
      await sql.all('delete from badge_run where computed_at is not null and id < ?', [oldest.id!])
      await sql.all('delete from badge_score where run < ?', [last.id!])
    },
    putMark: (mark: BadgeMark) => BADGE_MARKS.upsert(sql, [mark]),
    /** Returns whether there was a mark. */
    removeMark: async (fid: number) => (await BADGE_MARKS.remove(sql, [{ fid }])) > 0,
  }
}

const runOf = (row: Row): BadgeRun => ({
  id: row.id as number,
  due: row.due as number,
  computedAt: row.computed_at as number,
  summary: row.summary as string,
  count: (row.bytes as number) / FID_BYTES,
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
