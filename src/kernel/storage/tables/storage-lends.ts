import { storageLendSet } from '../../protocol/kinds/lend-storage.ts'
import type { Borrowed, Holding, Units } from '../../protocol/storage-units.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import type { Rent } from './accounts.ts'
import { KEPT } from './duties.ts'
import { query, queryEach, type RowOf, table } from './table.ts'

/**
 * Storage units that fids lend, one row for each stored LEND_STORAGE message, and those that lenders have ended, as long
 * as messages are kept by them.
 */
export const STORAGE_LENDS = table('storage_lend', {
  /** Of the message. */
  id: { type: 'integer', key: true },
  lender: { type: 'fid', erasure: KEPT.ownership, exported: true },
  borrower: { type: 'fid', erasure: KEPT.ownership, exported: true },
  /** The wire's StorageUnitType. */
  unit_type: { type: 'integer' },
  units: { type: 'integer' },
  /** Since when the borrower has had at least so many units of the lender. */
  since: { type: 'seconds' },
  /** 0: it is in force. */
  ended_at: { type: 'seconds' },
  /** Network seconds of the message that ended it: no older message lends to the fid again. */
  ended_by: { type: 'integer' },
})
export type StorageLend = RowOf<typeof STORAGE_LENDS>

/** How many units of a type a fid lends in all, so that nobody has to add them up. */
export const STORAGE_LENT = table('storage_lent', {
  lender: { type: 'fid', erasure: KEPT.ownership, exported: true, key: true },
  unit_type: { type: 'integer', key: true },
  units: { type: 'integer' },
})
export type StorageLent = RowOf<typeof STORAGE_LENT>

const RENTS = listStatement(
  { fid: 'bigint' },
  `select r.* from input i join storage_rent r on r.fid = i.fid
    union select r.* from input i join storage_lend l on l.borrower = i.fid
     join storage_rent r on r.fid = l.lender`,
)
const BORROWED = listStatement(
  { fid: 'bigint' },
  `select l.*, coalesce(t.units, 0) as lent from input i join storage_lend l on l.borrower = i.fid
     left join storage_lent t on t.lender = l.lender and t.unit_type = l.unit_type`,
)

const WRONG_LENDS = `select 'lend ' || l.id || ' has no message' as what from storage_lend l
     left join message m on m.id = l.id and m.store = ${storageLendSet.number}
    where l.ended_at = 0 and m.id is null
    union all
   select 'fid ' || lender || ' lends ' || lends || ' units, its sum says ' || sums as what from (
     select lender, unit_type, cast(sum(lends) as bigint) as lends, cast(sum(sums) as bigint) as sums
       from (select lender, unit_type, units as lends, 0 as sums from storage_lend where ended_at = 0
              union all select lender, unit_type, 0, units from storage_lent) as both_kinds
      group by lender, unit_type) as counted
    where lends <> sums limit (? + 0)`

/** A lend to a fid, with all that its lender lends of the type. */
type FoundLend = StorageLend & { readonly lent: number }

/** What storage the fids have that were asked for, and the lends to them. */
export type Holdings = {
  of(fid: number): Holding
  readonly lends: readonly StorageLend[]
}

export const storageLendReader = (sql: Sql) => ({
  /** Everything that says how much storage these fids have, by a fixed number of statements. */
  async holdings(fids: readonly number[]): Promise<Holdings> {
    const rows = [...new Set(fids)].map((fid) => ({ fid }))
    const [rents, lends, lent] = await Promise.all([
      queryEach<Rent, { fid: 'bigint' }>(sql, RENTS, rows),
      queryEach<FoundLend, { fid: 'bigint' }>(sql, BORROWED, rows),
      STORAGE_LENT.findBy(
        sql,
        'lender',
        rows.map(({ fid }) => fid),
      ),
    ])
    return holdingsOf(rents, lends, lent)
  },
  /** The lends of these messages. */
  byIds: (ids: readonly number[]) => STORAGE_LENDS.findBy(sql, 'id', ids),
  /** Lends without their message, and sums of lent units that are not the sum of the lends. */
  wrong: (limit: number) => query<{ what: string }>(sql, WRONG_LENDS, [limit]),
  lentBy: (fids: readonly number[]) => STORAGE_LENT.findBy(sql, 'lender', fids),
})

export const storageLendWriter = (sql: Sql) => ({
  ...storageLendReader(sql),
  put: (lends: readonly StorageLend[]) => STORAGE_LENDS.upsert(sql, lends),
  putLent: (lent: readonly StorageLent[]) => STORAGE_LENT.upsert(sql, lent),
  remove: (ids: readonly number[]) => STORAGE_LENDS.removeBy(sql, 'id', ids),
  /** Deletes lends that were ended longer ago than they lasted, at most `graceSeconds`, and at least `minSeconds`. */
  async forget(
    now: number,
    { graceSeconds, minSeconds }: { readonly graceSeconds: number; readonly minSeconds: number },
  ): Promise<number> {
    const rows = await STORAGE_LENDS.removeWhere(
      sql,
      'ended_at > 0 and ended_at < ? and (ended_at < ? or ended_at - since < ? - ended_at)',
      [now - minSeconds, now - graceSeconds, now],
    )
    return rows.length
  },
})

function holdingsOf(
  rents: readonly Rent[],
  lends: readonly FoundLend[],
  lent: readonly StorageLent[],
): Holdings {
  const rentsBy = Map.groupBy(rents, ({ fid }) => fid)
  const lendsTo = Map.groupBy(lends, ({ borrower }) => borrower)
  const lentBy = Map.groupBy(lent, ({ lender }) => lender)
  const rentsOf = (fid: number) => rentsBy.get(fid) ?? []
  const borrowedBy = (row: FoundLend): Borrowed => {
    const { lender, unit_type } = row
    return {
      ...row,
      lender: { rents: rentsOf(lender), lent: sumOf([{ unit_type, units: row.lent }]) },
    }
  }
  return {
    of: (fid) => ({
      rents: rentsOf(fid),
      lent: sumOf(lentBy.get(fid) ?? []),
      borrowed: (lendsTo.get(fid) ?? []).map(borrowedBy),
    }),
    lends,
  }
}

function sumOf(lent: readonly Pick<StorageLent, 'unit_type' | 'units'>[]): Units {
  const of = (type: number) => lent.find((one) => one.unit_type === type)?.units ?? 0
  return { legacy: of(0), u2024: of(1), u2025: of(2) }
}
