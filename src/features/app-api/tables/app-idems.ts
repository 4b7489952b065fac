import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Requests that must have one result however often they are sent. */
export const APP_IDEMS = table('app_idem', {
  app: { type: 'line', words: false, key: true },
  idem: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping },
  /** Of the message that the request stored. */
  hash: { type: 'bytes' },
  slot: { type: 'bytes' },
  created_at: { type: 'seconds' },
})
export type AppIdem = RowOf<typeof APP_IDEMS>

export const appIdemReader = (sql: Sql) => ({
  find: (app: string, idem: string) => APP_IDEMS.find(sql, app, idem),
})

export const appIdemWriter = (sql: Sql) => ({
  ...appIdemReader(sql),
  put: (idem: AppIdem) => APP_IDEMS.upsert(sql, [idem]),
  /** Deletes the row unless another request has replaced it. */
  async removeOf({ app, idem, hash }: Pick<AppIdem, 'app' | 'idem' | 'hash'>): Promise<void> {
    await APP_IDEMS.removeWhere(sql, 'app = ? and idem = ? and hash = ?', [app, idem, hash])
  },
  /** Deletes at most `limit` rows of requests before a time (Unix seconds). */
  async forget(before: number, limit: number): Promise<number> {
    const rows = await APP_IDEMS.removeWhere(
      sql,
      `(app, idem) in (select app, idem from app_idem where created_at < ?
                        order by created_at limit (? + 0))`,
      [before, limit],
    )
    return rows.length
  },
})

/** `storage.of(appIdemRows)` reads these tables, and `tx.of(appIdemRows)` writes them. */
export const appIdemRows = rowsOf(appIdemReader, ({ sql }) => appIdemWriter(sql))
