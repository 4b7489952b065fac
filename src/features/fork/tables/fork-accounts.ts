import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT, NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Accounts of the source that were read. */
export const FORK_ACCOUNTS = table('fork_account', {
  fid: { type: 'fid', erasure: KEPT.bookkeeping, exported: NOT_EXPORTED.bookkeeping, key: true },
  /** How much of them: see `LEVELS`. */
  level: { type: 'integer' },
  read_at: { type: 'seconds' },
})
export type ForkAccount = RowOf<typeof FORK_ACCOUNTS>

const forkAccountReader = (sql: Sql) => ({
  ofFids: (fids: readonly number[]) => FORK_ACCOUNTS.findBy(sql, 'fid', fids),
  /** The first one above this fid. */
  after: (fid: number) => FORK_ACCOUNTS.first(sql, 'where fid > ? order by fid limit 1', [fid]),
  count: () => FORK_ACCOUNTS.count(sql),
})

/** `storage.of(forkAccountRows)` reads this table, and `tx.of(forkAccountRows)` writes it. */
export const forkAccountRows = rowsOf(forkAccountReader, ({ sql }) => ({
  ...forkAccountReader(sql),
  put: (row: ForkAccount) => FORK_ACCOUNTS.upsert(sql, [row]),
}))
