import type { Sql } from '../engines/sql.ts'
import { type RowOf, table } from './table.ts'

/** What has been used in a window of fixed length. It is in the store, so that all processes share one quota. */
export const QUOTAS = table('quota', {
  name: { type: 'line', key: true },
  /** What it is counted for: a fid, or a fid and a channel. */
  subject: { type: 'line', key: true },
  ends_at: { type: 'millis' },
  count: { type: 'integer' },
  amount: { type: 'integer' },
})
export type UsedQuota = RowOf<typeof QUOTAS>

export const quotaReader = (sql: Sql) => ({
  /** What these subjects have used of a quota. */
  used: (name: string, subjects: readonly string[]) =>
    QUOTAS.findAll(
      sql,
      subjects.map((subject) => ({ name, subject })),
    ),
})

/** Quotas of one name are always written under the same lock. */
export const quotaWriter = (sql: Sql) => ({
  ...quotaReader(sql),
  put: (rows: readonly UsedQuota[]) => QUOTAS.upsert(sql, rows),
  /** Deletes windows that have ended by `now` (Unix ms), at most `limit`, and returns their number. */
  async forget(now: number, limit: number): Promise<number> {
    // The time is compared twice: a window of the list may be opened again before its row is deleted.
    const some = '(select name, subject from quota where ends_at <= ? limit (? + 0))'
    const condition = `ends_at <= ? and (name, subject) in ${some}`
    return (await QUOTAS.removeWhere(sql, condition, [now, now, limit])).length
  },
})
