import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { ACTS, type Act, type Report } from './reports.ts'

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
  /** The id of the entry `resolve` in the log; null in rows that a version before migration 78 wrote. */
  decision: { type: 'integer', null: true },
})
export type ReportAnswer = RowOf<typeof REPORT_ANSWERS>

export const answerReader = (sql: Sql) => ({
  /** The next one after this id. */
  next: (after: number) =>
    REPORT_ANSWERS.first(sql, 'where report_id > ? order by report_id limit 1', [after]),
  find: (report_id: number) => REPORT_ANSWERS.find(sql, report_id),
  /** The decision that settles an open report, which is not answered yet: of several the earliest. */
  settling: ({ id, fid, cast_hash, mini_app }: Report) =>
    REPORT_ANSWERS.first(
      sql,
      `where fid = ? and up_to >= ? and (act = 'suspend'
         or ${cast_hash ? 'cast_hash = ?' : 'cast_hash is null'} and ${mini_app ? 'mini_app = ?' : 'mini_app is null'})
       order by up_to, report_id limit 1`,
      [fid, id, cast_hash, mini_app].filter((value) => value !== null),
    ),
})

export const answerWriter = (sql: Sql) => ({
  ...answerReader(sql),
  add: (answer: ReportAnswer) => REPORT_ANSWERS.insert(sql, [answer]),
  remove: (report_id: number) => REPORT_ANSWERS.remove(sql, [{ report_id }]),
  /** Ends decisions that are taken back: what they have not answered yet waits for another one. */
  withdraw: ({ act, fid, cast_hash }: { act: Act; fid: number; cast_hash?: Uint8Array }) =>
    REPORT_ANSWERS.removeWhere(sql, `act = ? and fid = ? ${cast_hash ? 'and cast_hash = ?' : ''}`, [
      act,
      fid,
      ...(cast_hash ? [cast_hash] : []),
    ]),
  /** Removes the answers that came with this act (`entry`: its id in the log): one warning may have answered several cases. */
  withdrawGoingWith: (entry: number, fid: number) =>
    REPORT_ANSWERS.removeWhere(
      sql,
      `fid = ? and decision in (
         select id from moderation_log where fid = ? and id > ? and goes_with = ?)`,
      [fid, fid, entry, entry],
    ),
})

/** `storage.of(answerRows)` reads this table, and `tx.of(answerRows)` writes it. */
export const answerRows = rowsOf(answerReader, ({ sql }) => answerWriter(sql))
