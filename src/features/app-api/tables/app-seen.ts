import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'
import { NOTICE_GROUPS } from '../../../kernel/storage/views/notice-kinds.ts'

/** Up to when a user has seen the notifications of a kind in an app. */
export const APP_SEEN = table('app_seen', {
  app: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: true, key: true },
  kind: { type: 'line', key: true, values: NOTICE_GROUPS },
  /** Network seconds. */
  seen_at: { type: 'integer' },
})
export type AppSeen = RowOf<typeof APP_SEEN>

export const appSeenReader = (sql: Sql) => ({
  of: (app: string, fid: number) => APP_SEEN.select(sql, 'where app = ? and fid = ?', [app, fid]),
  /** Of each kind the newest mark in any app. */
  newestOf: (fid: number) =>
    query<Pick<AppSeen, 'kind' | 'seen_at'>>(
      sql,
      'select kind, max(seen_at) as seen_at from app_seen where fid = ? group by kind',
      [fid],
    ),
})

export const appSeenWriter = (sql: Sql) => ({
  ...appSeenReader(sql),
  put: (marks: readonly AppSeen[]) => APP_SEEN.upsert(sql, marks),
})

/** `storage.of(appSeenRows)` reads this table, and `tx.of(appSeenRows)` writes it. */
export const appSeenRows = rowsOf(appSeenReader, ({ sql }) => appSeenWriter(sql))
