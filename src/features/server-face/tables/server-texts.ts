import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** What the operator has written about the server in place of its settings, and in other languages (`rules:de`). */
export const SERVER_TEXTS = table('server_text', {
  name: { type: 'line', words: false, key: true },
  value: { type: 'text', words: false },
  changed_at: { type: 'seconds' },
  changed_by: { type: 'line', words: false },
  /** Of a translation: the version of the text that it translates. */
  original: { type: 'line', words: false, null: true },
})
export type ServerText = RowOf<typeof SERVER_TEXTS>

/** The texts of the server, five of them in each language, and the settings that are changed while it runs. */
const MAX_TEXTS = 300

export const serverTextReader = (sql: Sql) => ({
  /** What the operator has written in place of one setting. */
  async get(name: string): Promise<string | undefined> {
    return (await SERVER_TEXTS.find(sql, name))?.value
  },
  list: () => SERVER_TEXTS.select(sql, 'order by name limit (? + 0)', [MAX_TEXTS]),
})

export const serverTextWriter = (sql: Sql) => ({
  ...serverTextReader(sql),
  put: (texts: readonly ServerText[]) => SERVER_TEXTS.upsert(sql, texts),
  remove: (names: readonly string[]) => SERVER_TEXTS.removeBy(sql, 'name', names),
})

/** `storage.of(serverTextRows)` reads these tables, and `tx.of(serverTextRows)` writes them. */
export const serverTextRows = rowsOf(serverTextReader, ({ sql }) => serverTextWriter(sql))
