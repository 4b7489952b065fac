import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

const CAST_STATES = ['waiting', 'stored', 'missing'] as const

/** Casts by people who are not chosen, which casts of chosen people answer or quote. */
export const MIRROR_CONTEXT_CASTS = table('mirror_context_cast', {
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping, key: true },
  hash: { type: 'bytes', key: true },
  /** `missing`: the source does not have it, or it was refused. */
  state: { type: 'line', values: CAST_STATES },
  /** How many casts above this one may be read. */
  above: { type: 'integer' },
})
export type MirrorContextCast = RowOf<typeof MIRROR_CONTEXT_CASTS>

/** Whose casts somebody, or a cast of somebody, is the context of. */
export const MIRROR_CONTEXT = table('mirror_context', {
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping, key: true },
  /** Empty: the person alone. */
  hash: { type: 'bytes', key: true },
  /** The chosen person. */
  whose: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping, key: true },
})
export type MirrorContextRow = RowOf<typeof MIRROR_CONTEXT>

type CastKey = Pick<MirrorContextCast, 'fid' | 'hash'>

const mirrorContextReader = (sql: Sql) => ({
  /** Casts of a person that are context: first those that were never read. */
  castsOf: (fid: number, limit: number) =>
    MIRROR_CONTEXT_CASTS.select(sql, 'where fid = ? order by state desc, hash limit (? + 0)', [
      fid,
      limit,
    ]),
  /** For whom these casts are context. */
  whoseOf: (casts: readonly CastKey[]) =>
    MIRROR_CONTEXT.findMatching(
      sql,
      ['fid', 'hash'],
      casts.map(({ fid, hash }) => ({ fid, hash })),
    ),
  ofWhom: (whose: number, limit: number) =>
    MIRROR_CONTEXT.select(sql, 'where whose = ? order by fid, hash limit (? + 0)', [whose, limit]),
  /** Those of these people who are context of somebody's casts. */
  async namedOf(fids: readonly number[]): Promise<Set<number>> {
    const rows = await Promise.all(
      fids.map((fid) => MIRROR_CONTEXT.first(sql, 'where fid = ? limit 1', [fid])),
    )
    return new Set(rows.flatMap((row) => (row ? [row.fid] : [])))
  },
  states: () =>
    query<{ readonly state: MirrorContextCast['state']; readonly n: number }>(
      sql,
      'select state, count(*) as n from mirror_context_cast group by state',
    ),
  count: () => MIRROR_CONTEXT.count(sql),
})

const mirrorContextWriter = (sql: Sql) => ({
  ...mirrorContextReader(sql),
  /** Notes context, each cast once. Returns the casts that are to be read because of it. */
  async note(
    rows: readonly MirrorContextRow[],
    casts: readonly MirrorContextCast[],
  ): Promise<readonly CastKey[]> {
    await MIRROR_CONTEXT.insertNew(sql, rows)
    const known = await MIRROR_CONTEXT_CASTS.findAll(sql, casts)
    const added = await MIRROR_CONTEXT_CASTS.insertNew(sql, casts)
    const deeper = casts.filter((cast) =>
      known.some((one) => isSame(one, cast) && one.above < cast.above),
    )
    await MIRROR_CONTEXT_CASTS.upsert(sql, deeper)
    return [...added, ...deeper]
  },
  putStates: (casts: readonly Omit<MirrorContextCast, 'above'>[]) =>
    MIRROR_CONTEXT_CASTS.update(sql, ['state'], casts),
  remove: (rows: readonly MirrorContextRow[]) => MIRROR_CONTEXT.remove(sql, rows),
  removeCasts: (casts: readonly CastKey[]) => MIRROR_CONTEXT_CASTS.remove(sql, casts),
})

/** `storage.of(mirrorContextRows)` reads these tables, and `tx.of(mirrorContextRows)` writes them. */
export const mirrorContextRows = rowsOf(mirrorContextReader, ({ sql }) => mirrorContextWriter(sql))

const isSame = (a: CastKey, b: CastKey): boolean =>
  a.fid === b.fid && Buffer.compare(a.hash, b.hash) === 0
