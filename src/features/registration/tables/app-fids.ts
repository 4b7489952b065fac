import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Fids that the server has registered in advance. Each is reserved for a new user of an app for some minutes. */
export const APP_FIDS = table('app_fid', {
  /** What the private key of its custody address is derived from. */
  id: { type: 'line', words: false, withheld: WITHHELD.secret, key: true },
  /** The app that has reserved it last. */
  app: { type: 'line', words: false },
  /** Null until it is registered. */
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true, null: true },
  reserved_until: { type: 'seconds' },
})
export type AppFid = RowOf<typeof APP_FIDS>

export const appFidReader = (sql: Sql) => ({
  byFid: (fid: number) => APP_FIDS.first(sql, 'where fid = ?', [fid]),
  /** One whose reservation has ended. */
  free: (now: number) =>
    APP_FIDS.first(sql, 'where reserved_until < ? order by reserved_until, id limit 1', [now]),
  count: () => APP_FIDS.count(sql, '', []),
  reservedBy: (app: string, now: number) =>
    APP_FIDS.count(sql, 'where app = ? and reserved_until >= ?', [app, now]),
})

export const appFidWriter = (sql: Sql) => ({
  ...appFidReader(sql),
  put: (row: AppFid) => APP_FIDS.upsert(sql, [row]),
  remove: (id: string) => APP_FIDS.removeBy(sql, 'id', [id]),
})

/** `storage.of(appFidRows)` reads these tables, and `tx.of(appFidRows)` writes them. */
export const appFidRows = rowsOf(appFidReader, ({ sql }) => appFidWriter(sql))
