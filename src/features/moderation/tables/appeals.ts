import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { MODERATION_ACTIONS } from '../../moderation-records/port.ts'

/** What members say against decisions about them. */
export const MODERATION_APPEALS = table('moderation_appeal', {
  id: { type: 'integer', key: true },
  fid: { type: 'fid', erasure: 'empty', exported: true },
  /** The entry of the log. */
  decision: { type: 'integer' },
  /** What was decided, about which cast: the log may be longer than a reader wants to search. */
  action: { type: 'line', values: MODERATION_ACTIONS },
  cast_hash: { type: 'bytes', withheld: false, null: true },
  text: { type: 'text', words: true },
  state: { type: 'line', values: ['open', 'answered'] },
  created_at: { type: 'seconds' },
  answered_at: { type: 'seconds', null: true },
  outcome: { type: 'line', null: true, values: ['upheld', 'reversed'] },
  answer: { type: 'text', words: false, null: true },
  answered_by: { type: 'line', words: false, withheld: WITHHELD.private, null: true },
})
export type Appeal = RowOf<typeof MODERATION_APPEALS>

const COUNTS = `select action, coalesce(outcome, '') as outcome, count(*) as n from moderation_appeal
  where created_at >= ? and fid <> ? group by action, outcome order by action, outcome`
const NEWEST_OPEN =
  "select max(created_at) as newest from moderation_appeal where state = 'open' and created_at < ?"
type AppealCount = {
  readonly action: Appeal['action']
  /** Empty: it is open. */
  readonly outcome: NonNullable<Appeal['outcome']> | ''
  readonly n: number
}

export const appealReader = (sql: Sql) => ({
  find: (id: number) => MODERATION_APPEALS.find(sql, id),
  /** Oldest first, after this id. */
  list: (state: Appeal['state'], afterId: number, limit: number) =>
    MODERATION_APPEALS.select(sql, 'where state = ? and id > ? order by id limit (? + 0)', [
      state,
      afterId,
      limit,
    ]),
  /** The newest that are open, newest first. */
  newestOpen: (limit: number) =>
    MODERATION_APPEALS.select(sql, "where state = 'open' order by id desc limit (? + 0)", [limit]),
  /** When the newest open one came that came before a time, in Unix seconds; 0 without any. */
  async newestOpenAt(before: number): Promise<number> {
    const [row] = await query<{ newest: number | null }>(sql, NEWEST_OPEN, [before])
    return Number(row?.newest ?? 0)
  },
  /** The newest appeals of a user. */
  ofFid: (fid: number, limit: number) =>
    MODERATION_APPEALS.select(sql, 'where fid = ? order by id desc limit (? + 0)', [fid, limit]),
  /** The open ones of a user, the oldest first. */
  openOf: (fid: number) =>
    MODERATION_APPEALS.select(sql, "where fid = ? and state = 'open' order by id", [fid]),
  /** How many were sent since a time, by what they are about and what came of them; not those of an account. */
  countsSince: (since: number, withoutFid: number) =>
    query<AppealCount>(sql, COUNTS, [since, withoutFid]),
  count: (state: Appeal['state']) => MODERATION_APPEALS.count(sql, 'where state = ?', [state]),
})

export const appealWriter = (sql: Sql) => ({
  ...appealReader(sql),
  async add(appeal: Omit<Appeal, 'id'>): Promise<Appeal> {
    const added = { ...appeal, id: (await MODERATION_APPEALS.max(sql, 'id')) + 1 }
    await MODERATION_APPEALS.insert(sql, [added])
    return added
  },
  put: (appeal: Appeal) => MODERATION_APPEALS.upsert(sql, [appeal]),
  /** Deletes the oldest answered appeals beyond this number. */
  async trim(kept: number): Promise<void> {
    const [row] = await query<{ id: number }>(
      sql,
      "select id from moderation_appeal where state = 'answered' order by id desc limit 1 offset ?",
      [kept],
    )
    if (row) {
      await MODERATION_APPEALS.removeWhere(sql, "state = 'answered' and id <= ?", [row.id])
    }
  },
})

/** `storage.of(appealRows)` reads this table, and `tx.of(appealRows)` writes it. */
export const appealRows = rowsOf(appealReader, ({ sql }) => appealWriter(sql))
