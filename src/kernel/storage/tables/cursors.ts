import type { Sql } from '../engines/sql.ts'
import { table } from './table.ts'

/** Small named values that survive restarts: the network's id, the position of a consumer in a feed. */
export const CURSORS = table('cursor', {
  name: { type: 'line', words: false, key: true },
  value: { type: 'text', words: false },
})

export const cursorReader = (sql: Sql) => ({
  async get(name: string): Promise<string | undefined> {
    return (await CURSORS.find(sql, name))?.value
  },
})

export const cursorWriter = (sql: Sql) => ({
  ...cursorReader(sql),
  put: (name: string, value: string) => CURSORS.upsert(sql, [{ name, value }]),
})
