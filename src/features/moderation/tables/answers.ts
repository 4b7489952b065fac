import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { ACTS } from '../../moderation-records/port.ts'

/** Decisions that answer more reports than one transaction does: the rest is answered in steps, also after a crash. */
export const REPORT_ANSWERS = table('report_answer', {
  /** The report that was decided about. */
  report_id: { type: 'integer', key: true },
  /** What is reported, as reports say it. */
  fid: { type: 'integer', erasure: KEPT.decision, exported: NOT_EXPORTED.transit },
  cast_hash: { type: 'bytes', withheld: false, null: true },
  mini_app: { type: 'line', words: false, null: true },
  /** The newest report that there was: one that comes later is not answered by this. */
  up_to: { type: 'integer' },
  act: { type: 'line', values: ACTS },
  actor: { type: 'line', words: false, withheld: WITHHELD.private },
  reason: { type: 'text', words: false },
})
export type ReportAnswer = RowOf<typeof REPORT_ANSWERS>

export const answerReader = (sql: Sql) => ({
  /** The one that has waited longest. */
  first: () => REPORT_ANSWERS.first(sql, 'order by report_id limit 1'),
  find: (report_id: number) => REPORT_ANSWERS.find(sql, report_id),
})

export const answerWriter = (sql: Sql) => ({
  ...answerReader(sql),
  add: (answer: ReportAnswer) => REPORT_ANSWERS.insert(sql, [answer]),
  remove: (report_id: number) => REPORT_ANSWERS.remove(sql, [{ report_id }]),
})

/** `storage.of(answerRows)` reads this table, and `tx.of(answerRows)` writes it. */
export const answerRows = rowsOf(answerReader, ({ sql }) => answerWriter(sql))
