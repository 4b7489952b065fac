import type { Sql } from './sql.ts'

/** Small named facts that outlive the process: the network's id, how far a feed was read. */
export interface CursorReader {
  get(name: string): Promise<string | undefined>
}

export interface CursorWriter extends CursorReader {
  put(name: string, value: string): Promise<void>
}

export function cursorReader(sql: Sql): CursorReader {
  return {
    async get(name) {
      const [row] = await sql.all('select value from cursor where name = ?', [name])
      return row?.value as string | undefined
    },
  }
}

export function cursorWriter(sql: Sql): CursorWriter {
  return {
    ...cursorReader(sql),
    async put(name, value) {
      await sql.all(
        `insert into cursor (name, value) values (?, ?)
         on conflict (name) do update set value = excluded.value`,
        [name, value],
      )
    },
  }
}
