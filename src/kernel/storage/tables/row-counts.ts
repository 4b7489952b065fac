import type { Sql } from '../engines/sql.ts'

/**
 * Totals that writers keep up to date with `countRows`: the rows of a table, `cast` for the casts in `message`, and
 * `media_bytes` for the bytes of all files in `media`.
 */
export type KeptCount = 'message' | 'cast' | 'custody' | 'name_proof' | 'media' | 'media_bytes'

/** The number of rows, without counting them. Includes what this transaction has written. */
export async function rowCount(sql: Sql, name: KeptCount): Promise<number> {
  const [row] = await sql.all(
    'select value from row_total where name = ? order by change desc limit 1',
    [name],
  )
  return Number(row?.value ?? 0)
}

/**
 * Adds to the number of rows. Each table has one row here, whose key `change` grows with every update. A long transaction
 * such as `pg_dump` makes PostgreSQL keep the old versions of the row. With a growing key the newest version is found first
 * in the index; with a constant key every transaction would look at all old versions.
 * All writers of a table hold one lock, that of the hub or of all media, so the row is never contended.
 */
export async function countRows(sql: Sql, name: KeptCount, change: number): Promise<void> {
  if (change !== 0) await sql.all(ADD, [name, name, change])
}

/** Returns no row: SQLite would make a table of returned rows, which takes longer than the change. */
const ADD = `insert into row_total (name, change, value)
  values (?, coalesce((select max(change) from row_total where name = ?), 0), ?)
  on conflict (name, change)
  do update set change = row_total.change + 1, value = row_total.value + excluded.value`
