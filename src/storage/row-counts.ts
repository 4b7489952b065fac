import { shardOfFid } from '../protocol/shards.ts'
import type { Sql } from './sql.ts'

/** Rows that are counted as they are written; casts are messages. Everything that writes them calls `countRows`. */
export type CountedTable = 'message' | 'cast' | 'custody' | 'name_proof'

const KEPT_COUNT = '(select value from row_total where name = ? order by change desc limit 1)'

/** The number of rows, without counting them. Includes what this transaction has written. */
export async function rowCount(sql: Sql, table: CountedTable): Promise<number> {
  const counts = await keptCounts(sql, [table, ...shardNames(table, sql.shards)])
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The same for each shard. */
export async function shardCounts(sql: Sql, table: CountedTable): Promise<number[]> {
  if ((sql.shards ?? 1) === 1) return [await rowCount(sql, table)]
  return keptCounts(sql, shardNames(table, sql.shards))
}

async function keptCounts(sql: Sql, names: readonly string[]): Promise<number[]> {
  const counts = names.map((_, i) => `coalesce(${KEPT_COUNT}, 0) as count_${i}`)
  const [row] = await sql.all(`select ${counts.join(', ')}`, names)
  return names.map((_, i) => Number(row?.[`count_${i}`]))
}

/** The names of the counts of the shards, where there are several. */
const shardNames = (table: CountedTable, shards = 1): string[] =>
  shards === 1 ? [] : Array.from({ length: shards }, (_, i) => countName(table, i + 1))

/** Transactions of different shards change different rows. */
const countName = (table: CountedTable, shard: number | undefined): string =>
  shard === undefined ? table : `${table}/${shard}`

/** Counts rows that this transaction writes, or deletes. */
export async function countRows(
  sql: Sql,
  table: CountedTable,
  rows: readonly { readonly fid: number }[],
  sign: 1 | -1 = 1,
): Promise<void> {
  const { shards = 1, shard } = sql
  if (shards === 1 || shard) return addToRowCount(sql, countName(table, shard), sign * rows.length)
  // It holds the locks of all shards.
  const parts = Map.groupBy(rows, ({ fid }) => shardOfFid(fid, shards))
  for (const [own, part] of parts) {
    await addToRowCount(sql, countName(table, own), sign * part.length)
  }
}

/**
 * Each table has one row, or one for each shard, whose key `change` grows with every update. A long transaction such
 * as `pg_dump` makes PostgreSQL keep the old versions of the row. With a growing key the newest version is found first
 * in the index; with a constant key every transaction would look at all old versions.
 * All writers of these tables hold the hub's lock or that of their shard, so the row is never contended.
 */
export async function addToRowCount(sql: Sql, name: string, change: number): Promise<void> {
  if (change !== 0) await sql.all(ADD, [name, name, change])
}

/** Returns no row: SQLite would make a table for what a statement returns, which takes longer than the change. */
const ADD = `insert into row_total (name, change, value)
  values (?, coalesce((select max(change) from row_total where name = ?), 0), ?)
  on conflict (name, change)
  do update set change = row_total.change + 1, value = row_total.value + excluded.value`
