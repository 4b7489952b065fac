import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, rowsWith, table } from '../../../kernel/storage/tables/table.ts'

/** Cases that a moderator looks at, so that two do not answer the same. Each ends by itself. */
export const CASE_CLAIMS = table('case_claim', {
  /** The first open report of the case. */
  report_id: { type: 'integer', key: true },
  /** The account with a role; null for who has the token of the operator. */
  fid: {
    type: 'fid',
    erasure: 'delete',
    exported: { not: 'Ends by itself within minutes.' },
    null: true,
  },
  /** Who has it, as the log names actors. */
  actor: { type: 'line', words: false },
  /** Why it was taken over from somebody else. */
  word: { type: 'text', words: true, null: true },
  taken_at: { type: 'seconds' },
  ends_at: { type: 'seconds' },
})
export type CaseClaim = RowOf<typeof CASE_CLAIMS>

export const claimReader = (sql: Sql) => ({
  /** Those of the reports that are in force at a time in Unix seconds. */
  async ofReports(ids: readonly number[], now: number): Promise<Map<number, CaseClaim>> {
    const found = await CASE_CLAIMS.findBy(sql, 'report_id', ids)
    return new Map(found.filter(({ ends_at }) => ends_at > now).map((one) => [one.report_id, one]))
  },
})

export const claimWriter = (sql: Sql) => ({
  ...claimReader(sql),
  put: (claim: CaseClaim) => CASE_CLAIMS.upsert(sql, [claim]),
  remove: (report_ids: readonly number[]) =>
    CASE_CLAIMS.remove(sql, rowsWith('report_id', report_ids)),
  /** Deletes those that have ended by a time in Unix seconds. */
  removeEnded: (now: number) => CASE_CLAIMS.removeWhere(sql, 'ends_at <= ?', [now]),
})

/** `storage.of(claimRows)` reads this table, and `tx.of(claimRows)` writes it. */
export const claimRows = rowsOf(claimReader, ({ sql }) => claimWriter(sql))
