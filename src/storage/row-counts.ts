import type { Sql } from './sql.ts'

/** Tables whose rows are counted as they are written. Everything that writes them calls `addToRowCount`. */
export type CountedTable = 'message' | 'custody' | 'name_proof'

/** The number of rows, without counting them. Includes what this transaction has written. */
export async function rowCount(sql: Sql, table: CountedTable): Promise<number> {
  const [row] = await sql.all('select value from row_count where name = ?', [table])
  return (row?.value as number | undefined) ?? 0
}

/** All writers of these tables hold the hub's lock, so the row is never contended. */
export async function addToRowCount(sql: Sql, table: CountedTable, change: number): Promise<void> {
  if (change === 0) return
  await sql.all(
    `insert into row_count (name, value) values (?, ?)
     on conflict (name) do update set value = row_count.value + excluded.value`,
    [table, change],
  )
}
