import { MESSAGE_SETS } from '../../protocol/slots.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import type { Sql } from '../engines/sql.ts'
import type { PlatformPart } from '../locks.ts'

/** A total over rows that their writers keep up to date with `countRows`. */
export type Total = {
  readonly name: string
  /** SQL of the number that it should be. */
  readonly actual: string
  /** What its writers lock; the hub, unless given. */
  readonly part?: PlatformPart
}

export const KERNEL_TOTALS: readonly Total[] = [
  { name: 'message', actual: 'select count(*) from message' },
  {
    name: 'cast',
    actual: `select count(*) from message where store = ${MESSAGE_SETS.casts} and type = ${MessageType.CAST_ADD}`,
  },
  { name: 'custody', actual: 'select count(*) from custody' },
  { name: 'name_proof', actual: 'select count(*) from name_proof' },
]

/** The number of rows, without counting them. Includes what this transaction has written. */
export async function rowCount(sql: Sql, name: string): Promise<number> {
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
 * All writers of a total hold one lock, so the row is never contended.
 */
export async function countRows(sql: Sql, name: string, change: number): Promise<void> {
  if (change !== 0) await sql.all(ADD, [name, name, change])
}

/** Returns no row: SQLite would make a table of returned rows, which takes longer than the change. */
const ADD = `insert into row_total (name, change, value)
  values (?, coalesce((select max(change) from row_total where name = ?), 0), ?)
  on conflict (name, change)
  do update set change = row_total.change + 1, value = row_total.value + excluded.value`
