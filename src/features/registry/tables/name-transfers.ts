import { listStatement, type Sql, type SqlValue } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { KEPT } from '../../../kernel/storage/tables/duties.ts'
import {
  query,
  queryEach,
  type RowOf,
  rowsWith,
  table,
} from '../../../kernel/storage/tables/table.ts'

/** Changes of ownership of registry names: a log whose rows are never changed or deleted. */
export const NAME_TRANSFERS = table('name_transfer', {
  /** Grows in commit order: a reader that has seen an id can read every smaller one. */
  id: { type: 'integer', key: true },
  /** Grows with every transfer of the same name. */
  timestamp: { type: 'seconds' },
  username: { type: 'line', words: false },
  /** 20 bytes. */
  owner: { type: 'bytes', withheld: false },
  /** 0: the name was free. */
  from_fid: { type: 'integer', erasure: KEPT.ownership, exported: true },
  /** 0: the name was released. */
  to_fid: { type: 'integer', erasure: KEPT.ownership, exported: true },
  user_signature: { type: 'bytes', withheld: false },
  server_signature: { type: 'bytes', withheld: false },
  /** The fid that requested the transfer: one of the two, or that of an administrator. */
  acting_fid: {
    type: 'integer',
    erasure: KEPT.ownership,
    exported: { not: 'One of the two accounts, or an administrator of the registry.' },
  },
})
export type StoredTransfer = RowOf<typeof NAME_TRANSFERS>

/** The present holder of each name; a fid holds at most one name. */
export const NAME_HOLDERS = table('name_holder', {
  username: { type: 'line', words: false, key: true },
  fid: { type: 'fid', erasure: KEPT.ownership, exported: true },
  transfer_id: { type: 'integer' },
})

/** Restricts a list of transfers. All given conditions must hold. */
type TransferFilter = {
  /** Only transfers with a greater id. */
  readonly afterId?: number | undefined
  readonly username?: string | undefined
  /** On either side of the transfer. */
  readonly fid?: number | undefined
}
const COLUMNS = NAME_TRANSFERS.columns.map((column) => `t.${column}`).join(', ')
const LATEST_OF = listStatement(
  { name: 'text' },
  `select ${COLUMNS} from input i join name_transfer t on t.username = i.name
     and t.timestamp = (select max(timestamp) from name_transfer where username = i.name)`,
)
const HELD_BY = listStatement(
  { holder: 'bigint' },
  `select ${COLUMNS} from input i join name_holder h on h.fid = i.holder
     join name_transfer t on t.id = h.transfer_id`,
)
const COUNTS_AT = listStatement(
  { second: 'bigint' },
  `select i.second, (select count(*) from name_transfer where timestamp = i.second) as transfers
     from input i`,
)

type Condition = [text: string, ...values: SqlValue[]]
export type NameTransferReader = ReturnType<typeof nameTransferReader>

export function nameTransferReader(sql: Sql) {
  const list = (filter: TransferFilter, where: Condition[], order: string, limit: number) => {
    const conditions = [...where, ...conditionsOf(filter)]
    const text = conditions.map(([condition]) => condition).join(' and ') || 'true'
    const values = conditions.flatMap(([, ...values]) => values)
    return NAME_TRANSFERS.select(sql, `where ${text} order by ${order} limit (? + 0)`, [
      ...values,
      limit,
    ])
  }
  return {
    /** By id. */
    list: (filter: TransferFilter, limit: number) => list(filter, [], 'id', limit),
    /** The newest first. */
    newest: (filter: TransferFilter, limit: number) => list(filter, [], 'id desc', limit),
    /** Transfers with a later timestamp, by (timestamp, id). */
    listSince: (timestamp: number, filter: TransferFilter, limit: number) =>
      list(filter, [['timestamp > ?', timestamp]], 'timestamp, id', limit),
    /** Transfers with exactly this timestamp, by id. */
    listAt: (timestamp: number, filter: TransferFilter, limit: number) =>
      list(filter, [['timestamp = ?', timestamp]], 'id', limit),
    /** The number of transfers with each of these timestamps. */
    countsAt: (timestamps: readonly number[]) =>
      queryEach<{ second: number; transfers: number }, typeof COUNTS_AT.columns>(
        sql,
        COUNTS_AT,
        rowsWith('second', timestamps),
      ),
    /** The last transfer of a name. */
    latestOf: (username: string) =>
      NAME_TRANSFERS.first(sql, 'where username = ? order by timestamp desc limit 1', [username]),
    /** The last transfers of those of the names that have any. */
    latestOfAll: (usernames: readonly string[]) =>
      queryEach<StoredTransfer, typeof LATEST_OF.columns>(
        sql,
        LATEST_OF,
        rowsWith('name', usernames),
      ),
    /** The transfers that gave those of the fids that hold a name theirs. */
    heldByAll: (fids: readonly number[]) =>
      queryEach<StoredTransfer, typeof HELD_BY.columns>(sql, HELD_BY, rowsWith('holder', fids)),
    /** The transfer that gave a fid the name it holds. */
    async heldBy(fid: number): Promise<StoredTransfer | undefined> {
      const text = `select t.* from name_holder h join name_transfer t on t.id = h.transfer_id
         where h.fid = ?`
      return (await query<StoredTransfer>(sql, text, [fid]))[0]
    },
    /** The first transfers of a fid after a time. */
    recentOf: (fid: number, since: number, limit: number) =>
      list({ fid }, [['timestamp > ?', since]], 'id', limit),
    /** The transfer with the latest timestamp of all. */
    latest: () => NAME_TRANSFERS.first(sql, 'order by timestamp desc, id desc limit 1'),
    newestId: () => NAME_TRANSFERS.max(sql, 'id'),
  }
}

function conditionsOf({ afterId, username, fid }: TransferFilter): Condition[] {
  const conditions: Condition[] = []
  if (afterId !== undefined) conditions.push(['id > ?', afterId])
  if (username !== undefined) conditions.push(['username = ?', username])
  if (fid !== undefined) conditions.push(['(from_fid = ? or to_fid = ?)', fid, fid])
  return conditions
}

export const nameTransferWriter = (sql: Sql) => ({
  ...nameTransferReader(sql),
  /** Logs transfers, in order, and changes the holders of their names. Throws when a constraint of the tables forbids it. */
  async insert(transfers: readonly StoredTransfer[]): Promise<void> {
    const given = transfers.filter(({ from_fid }) => from_fid !== 0)
    const last = new Map(transfers.map((transfer) => [transfer.username, transfer]))
    const held = [...last.values()].filter(({ to_fid }) => to_fid !== 0)
    // In this order, and without waiting for the answers between them.
    await Promise.all([
      NAME_TRANSFERS.insert(sql, transfers),
      NAME_HOLDERS.remove(sql, keysOf(given)),
      NAME_HOLDERS.insert(sql, held.map(holderOf)),
    ])
  },
})

const keysOf = (transfers: readonly StoredTransfer[]) =>
  [...new Set(transfers.map(({ username }) => username))].map((username) => ({ username }))

const holderOf = ({ username, to_fid, id }: StoredTransfer) => ({
  username,
  fid: to_fid,
  transfer_id: id,
})

/** `storage.of(nameTransferRows)` reads these tables, and `tx.of(nameTransferRows)` writes them. */
export const nameTransferRows = rowsOf(nameTransferReader, ({ sql }) => nameTransferWriter(sql))
