import type { Sql } from '../engines/sql.ts'
import { type RowOf, table } from './table.ts'

/** Usage of a quota in a window of fixed length. All processes share it. */
export const QUOTAS = table('quota', {
  name: { type: 'line', words: false, key: true },
  /** A fid, or a fid and a channel. */
  subject: { type: 'line', words: false, key: true },
  ends_at: { type: 'millis' },
  count: { type: 'integer' },
  amount: { type: 'integer' },
})
export type UsedQuota = RowOf<typeof QUOTAS>

export const quotaReader = (sql: Sql) => ({
  /** The windows of these subjects. */
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
