import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** The languages in which members read the pages, and are written to. */
export const ACCOUNT_LANGUAGES = table('account_language', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  /** The code. */
  language: { type: 'line', words: false },
  /** 0: it is what the browser asked for of a member who has not chosen. */
  is_chosen: { type: 'flag' },
  changed_at: { type: 'seconds' },
})
export type AccountLanguage = RowOf<typeof ACCOUNT_LANGUAGES>

export const accountLanguageReader = (sql: Sql) => ({
  find: (fid: number) => ACCOUNT_LANGUAGES.find(sql, fid),
  ofFids: (fids: readonly number[]) => ACCOUNT_LANGUAGES.findBy(sql, 'fid', [...new Set(fids)]),
})

export const accountLanguageWriter = (sql: Sql) => ({
  ...accountLanguageReader(sql),
  put: (row: AccountLanguage) => ACCOUNT_LANGUAGES.upsert(sql, [row]),
})

/** `storage.of(accountLanguageRows)` reads this table, and `tx.of(accountLanguageRows)` writes it. */
export const accountLanguageRows = rowsOf(accountLanguageReader, ({ sql }) =>
  accountLanguageWriter(sql),
)
