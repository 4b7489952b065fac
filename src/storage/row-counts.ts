import type { Sql } from './sql.ts'

/** Rows that are counted as they are written; casts are messages. Everything that writes them calls `addToRowCount`. */
export type CountedTable = 'message' | 'cast' | 'custody' | 'name_proof'

const KEPT_COUNT = '(select value from row_total where name = ? order by change desc limit 1)'

/** The number of rows, without counting them. Includes what this transaction has written. */
export async function rowCount(sql: Sql, table: CountedTable): Promise<number> {
  const names = countNames(table, sql.shards)
  const sum = names.map(() => `coalesce(${KEPT_COUNT}, 0)`).join(' + ')
  const [row] = await sql.all(`select ${sum} as value`, names)
  return Number(row?.value)
}

/** The names of the counts that make up the count of a table. */
export const countNames = (table: CountedTable, shards = 1): string[] => [
  table,
  ...(shards === 1 ? [] : Array.from({ length: shards }, (_, i) => countName(table, i + 1))),
]

/** Transactions of different shards change different rows. */
const countName = (table: CountedTable, shard: number | undefined): string =>
  shard === undefined ? table : `${table}/${shard}`

/**
 * Each table has one row, or one for each shard, whose key `change` grows with every update. A long transaction such
 * as `pg_dump` makes PostgreSQL keep the old versions of the row. With a growing key the newest version is found first
 * in the index; with a constant key every transaction would look at all old versions.
 * All writers of these tables hold the hub's lock or that of their shard, so the row is never contended.
 */
export async function addToRowCount(sql: Sql, table: CountedTable, change: number): Promise<void> {
  if (change === 0) return
  const name = countName(table, sql.shard)
  const rows = await sql.all(
    `update row_total set change = change + 1, value = value + ? where name = ?
        and change = (select max(change) from row_total where name = ?)
     returning value`,
    [change, name, name],
  )
  if (rows.length > 0) return
  await sql.all('insert into row_total (name, change, value) values (?, 0, ?)', [name, change])
}
