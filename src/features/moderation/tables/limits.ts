import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import { countOf, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Accounts that only their followers are shown in trends, searches and notifications. */
export const ACCOUNT_LIMITS = table('account_limit', {
  fid: { type: 'fid', erasure: KEPT.decision, exported: true, key: true },
  since: { type: 'seconds' },
})

/** Suspensions that end by themselves. Those without a row are for good. */
export const SUSPENSION_ENDS = table('suspension_end', {
  fid: { type: 'fid', erasure: KEPT.decision, exported: true, key: true },
  ends_at: { type: 'seconds' },
})
type SuspensionEnd = RowOf<typeof SUSPENSION_ENDS>

/** On the account `:fid`, where it reaches the user `:viewer` as a stranger. */
export const REACHES_STRANGERS = `((select 1 from account_limit l where l.fid = :fid) is null or :fid = :viewer
   or (select 1 from view_follow f where f.fid = :viewer and f.target = :fid) is not null)`

export const limitReader = (sql: Sql) => ({
  isLimited: async (fid: number) => (await ACCOUNT_LIMITS.find(sql, fid)) !== undefined,
  /** How many accounts there are; `limit` stands for that many or more. */
  limitedCount: (limit: number) =>
    countOf(sql, 'select count(*) as n from (select 1 as one from account_limit limit (? + 0)) c', [
      limit,
    ]),
  /** When the suspension of an account ends, in Unix seconds; undefined when it does not. */
  endOf: async (fid: number) => (await SUSPENSION_ENDS.find(sql, fid))?.ends_at,
  /** Suspensions that have ended by a time in Unix seconds, the oldest first. */
  endedBy: (time: number, limit: number) =>
    SUSPENSION_ENDS.select(sql, 'where ends_at <= ? order by ends_at, fid limit (? + 0)', [
      time,
      limit,
    ]),
})

export const limitWriter = (sql: Sql) => ({
  ...limitReader(sql),
  limit: (fid: number, since: number) => ACCOUNT_LIMITS.upsert(sql, [{ fid, since }]),
  unlimit: (fid: number) => ACCOUNT_LIMITS.remove(sql, [{ fid }]),
  putEnd: (end: SuspensionEnd) => SUSPENSION_ENDS.upsert(sql, [end]),
  removeEnd: (fid: number) => SUSPENSION_ENDS.remove(sql, [{ fid }]),
})

/** `storage.of(limitRows)` reads these tables, and `tx.of(limitRows)` writes them. */
export const limitRows = rowsOf(limitReader, ({ sql }) => limitWriter(sql))
