import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** The languages in which members read posts. A member without a row reads all. */
export const READING_LANGUAGES = table('reading_language', {
  fid: { type: 'fid', erasure: 'delete', exported: true, key: true },
  /** Codes, with commas between them. */
  languages: { type: 'line', words: false },
  changed_at: { type: 'seconds' },
})
export type ReadingLanguages = RowOf<typeof READING_LANGUAGES>

export const readingLanguageReader = (sql: Sql) => ({
  of: async (fid: number): Promise<string[]> =>
    (await READING_LANGUAGES.find(sql, fid))?.languages.split(',') ?? [],
})

export const readingLanguageWriter = (sql: Sql) => ({
  ...readingLanguageReader(sql),
  put: (row: ReadingLanguages) => READING_LANGUAGES.upsert(sql, [row]),
  async remove(fid: number): Promise<void> {
    await READING_LANGUAGES.removeBy(sql, 'fid', [fid])
  },
})

/** `storage.of(readingLanguageRows)` reads this table, and `tx.of(readingLanguageRows)` writes it. */
export const readingLanguageRows = rowsOf(readingLanguageReader, ({ sql }) =>
  readingLanguageWriter(sql),
)
