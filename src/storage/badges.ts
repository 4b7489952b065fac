import { listStatement, type Row, type Sql } from './sql.ts'

/** One computation of the set: claimed by one process, and done once `computedAt` is there. */
export type BadgeRun = {
  /** Only grows; the newest that is done is in force. */
  readonly id: number
  /** Unix ms: the moment the set was to be recalculated. */
  readonly due: number
  /** Unix ms. */
  readonly computedAt: number
  /** JSON about the run, as who computed it wrote it. */
  readonly summary: string
  /** How many have the badge. */
  readonly count: number
}

export type BadgeSet = BadgeRun & {
  /** Ascending. */
  readonly fids: Uint32Array
}

export type BadgeClaim = {
  readonly id: number
  readonly due: number
  /** Names the process. */
  readonly claimant: string
  /** Unix ms; whoever computes renews it, so a claim that is older is a dead process's. */
  readonly leasedUntil: number
}

/** What the operator says about a fid, whatever was computed. */
export type BadgeMark = {
  readonly fid: number
  readonly kind: 'add' | 'exclude'
  readonly reason: string
  /** Unix ms. */
  readonly markedAt: number
}

/** Records of accounts in order of their fids, from `firstFid` on. */
export type ScoreChunk = { readonly firstFid: number; readonly body: Uint8Array }

export interface BadgeReader {
  /** The set in force; undefined before the first was computed. */
  current(): Promise<BadgeSet | undefined>
  byId(id: number): Promise<BadgeSet | undefined>
  /** The sets that are kept, the newest first. */
  list(limit: number): Promise<BadgeRun[]>
  claims(): Promise<BadgeClaim[]>
  /** The newest id of a claim or a set; 0 when there is none. */
  newestId(): Promise<number>
  marks(limit: number): Promise<BadgeMark[]>
  mark(fid: number): Promise<BadgeMark | undefined>
  markCount(): Promise<number>
  /** Where the chunks of a run begin, ascending. */
  chunkStarts(run: number): Promise<number[]>
  chunks(run: number, firstFids: readonly number[]): Promise<ScoreChunk[]>
}

export interface BadgeWriter extends BadgeReader {
  claim(claim: BadgeClaim): Promise<void>
  /** Says whether the claim is still there. */
  renew(claim: BadgeClaim): Promise<boolean>
  /** Forgets claims, and what they have left. */
  dropClaims(ids: readonly number[]): Promise<void>
  putChunks(run: number, chunks: readonly ScoreChunk[]): Promise<void>
  /** Makes the claimed run the set in force; says false when the claim is gone. */
  finish(claim: BadgeClaim, set: Omit<BadgeSet, 'id' | 'due' | 'count'>): Promise<boolean>
  /** Deletes all sets but the newest, and the chunks of all but the newest one. */
  keepNewest(sets: number): Promise<void>
  putMark(mark: BadgeMark): Promise<void>
  /** Says whether there was one. */
  removeMark(fid: number): Promise<boolean>
}

const RUN_COLUMNS = 'id, due, computed_at, summary, length(fids) as bytes'
const FID_BYTES = 4

const CHUNKS = listStatement(
  { run: 'bigint', first_fid: 'bigint' },
  `select s.first_fid, s.body from input i
     join badge_score s on s.run = i.run and s.first_fid = i.first_fid`,
)
const INSERT_CHUNK = listStatement(
  { run: 'bigint', first_fid: 'bigint', body: 'bytea' },
  'insert into badge_score (run, first_fid, body) select run, first_fid, body from input',
)
const DELETE_CLAIM = listStatement(
  { id: 'bigint' },
  'delete from badge_run where computed_at is null and id in (select id from input)',
)
const DELETE_CHUNKS = listStatement(
  { id: 'bigint' },
  `delete from badge_score where run in (
     select r.id from input i join badge_run r on r.id = i.id and r.computed_at is null)`,
)

export function badgeReader(sql: Sql): BadgeReader {
  const one = async (condition: string, parameters: number[]) => {
    const [row] = await sql.all(
      `select ${RUN_COLUMNS}, fids from badge_run where computed_at is not null ${condition} limit 1`,
      parameters,
    )
    return row && setOf(row)
  }
  return {
    current: () => one('order by id desc', []),
    byId: (id) => one('and id = ?', [id]),
    async list(limit) {
      const rows = await sql.all(
        `select ${RUN_COLUMNS} from badge_run where computed_at is not null order by id desc limit ?`,
        [limit],
      )
      return rows.map(runOf)
    },
    async claims() {
      const rows = await sql.all(
        'select id, due, claimant, leased_until from badge_run where computed_at is null order by id',
      )
      return rows.map(claimOf)
    },
    async newestId() {
      const [row] = await sql.all('select max(id) as id from badge_run')
      return Number(row?.id ?? 0)
    },
    async marks(limit) {
      const rows = await sql.all(
        'select fid, kind, reason, marked_at from badge_mark order by fid limit ?',
        [limit],
      )
      return rows.map(markOf)
    },
    async mark(fid) {
      const [row] = await sql.all(
        'select fid, kind, reason, marked_at from badge_mark where fid = ?',
        [fid],
      )
      return row && markOf(row)
    },
    async markCount() {
      const [row] = await sql.all('select count(*) as n from badge_mark')
      return Number(row?.n ?? 0)
    },
    async chunkStarts(run) {
      const rows = await sql.all(
        'select first_fid from badge_score where run = ? order by first_fid',
        [run],
      )
      return rows.map((row) => row.first_fid as number)
    },
    async chunks(run, firstFids) {
      const rows = await sql.each(
        CHUNKS,
        firstFids.map((first_fid) => ({ run, first_fid })),
      )
      return rows.map((row) => ({
        firstFid: row.first_fid as number,
        body: row.body as Uint8Array,
      }))
    },
  }
}

export function badgeWriter(sql: Sql): BadgeWriter {
  return {
    ...badgeReader(sql),
    async claim({ id, due, claimant, leasedUntil }) {
      await sql.all('insert into badge_run (id, due, claimant, leased_until) values (?, ?, ?, ?)', [
        id,
        due,
        claimant,
        leasedUntil,
      ])
    },
    async renew({ id, claimant, leasedUntil }) {
      const rows = await sql.all(
        `update badge_run set leased_until = ?
          where id = ? and claimant = ? and computed_at is null returning id`,
        [leasedUntil, id, claimant],
      )
      return rows.length > 0
    },
    async dropClaims(ids) {
      const rows = ids.map((id) => ({ id }))
      await sql.each(DELETE_CHUNKS, rows)
      await sql.each(DELETE_CLAIM, rows)
    },
    async putChunks(run, chunks) {
      await sql.each(
        INSERT_CHUNK,
        chunks.map(({ firstFid, body }) => ({ run, first_fid: firstFid, body })),
      )
    },
    async finish({ id, claimant }, { computedAt, summary, fids }) {
      const rows = await sql.all(
        `update badge_run set computed_at = ?, summary = ?, fids = ?
          where id = ? and claimant = ? and computed_at is null returning id`,
        [computedAt, summary, bytesOfFids(fids), id, claimant],
      )
      return rows.length > 0
    },
    async keepNewest(sets) {
      const newest = await sql.all(
        'select id from badge_run where computed_at is not null order by id desc limit ?',
        [sets],
      )
      const [last, oldest] = [newest[0], newest.at(-1)]
      if (!last || !oldest) return
      await sql.all('delete from badge_run where computed_at is not null and id < ?', [oldest.id!])
      await sql.all('delete from badge_score where run < ?', [last.id!])
    },
    async putMark({ fid, kind, reason, markedAt }) {
      await sql.all(
        `insert into badge_mark (fid, kind, reason, marked_at) values (?, ?, ?, ?)
         on conflict (fid) do update set kind = excluded.kind, reason = excluded.reason,
           marked_at = excluded.marked_at`,
        [fid, kind, reason, markedAt],
      )
    },
    async removeMark(fid) {
      const rows = await sql.all('delete from badge_mark where fid = ? returning fid', [fid])
      return rows.length > 0
    },
  }
}

const runOf = (row: Row): BadgeRun => ({
  id: row.id as number,
  due: row.due as number,
  computedAt: row.computed_at as number,
  summary: row.summary as string,
  count: (row.bytes as number) / FID_BYTES,
})

const setOf = (row: Row): BadgeSet => ({ ...runOf(row), fids: fidsOfBytes(row.fids as Uint8Array) })

const claimOf = (row: Row): BadgeClaim => ({
  id: row.id as number,
  due: row.due as number,
  claimant: row.claimant as string,
  leasedUntil: row.leased_until as number,
})

const markOf = (row: Row): BadgeMark => ({
  fid: row.fid as number,
  kind: row.kind as BadgeMark['kind'],
  reason: row.reason as string,
  markedAt: row.marked_at as number,
})

/** Four big-endian bytes each: a set is one value, so that no reader ever sees half of one. */
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
