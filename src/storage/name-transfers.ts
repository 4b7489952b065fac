import type { Row, Sql, SqlValue } from './sql.ts'

/** One change of hands of a registry name. The rows are a log: never changed, never deleted. */
export type StoredTransfer = {
  /** Grows in the order of the commits: who has seen one has seen, or can read, all before it. */
  readonly id: number
  /** Unix seconds; grows with every transfer of the same name. */
  readonly timestamp: number
  readonly username: string
  /** 20 bytes. */
  readonly owner: Uint8Array
  readonly from_fid: number
  /** 0: the name was released. */
  readonly to_fid: number
  readonly user_signature: Uint8Array
  readonly server_signature: Uint8Array
  /** Who asked: one of the two fids, or that of an administrator. */
  readonly acting_fid: number
}

/** What a list of transfers is narrowed to; the parts combine. */
export type TransferFilter = {
  /** Only transfers with a greater id. */
  readonly afterId?: number | undefined
  readonly username?: string | undefined
  /** On either side. */
  readonly fid?: number | undefined
}

export interface NameTransferReader {
  /** By id. */
  list(filter: TransferFilter, limit: number): Promise<StoredTransfer[]>
  /** Those with a later timestamp, by timestamp and then id. */
  listSince(timestamp: number, filter: TransferFilter, limit: number): Promise<StoredTransfer[]>
  /** Those with just this timestamp, by id. */
  listAt(timestamp: number, filter: TransferFilter, limit: number): Promise<StoredTransfer[]>
  countAt(timestamp: number): Promise<number>
  /** The last transfer of a name. */
  latestOf(username: string): Promise<StoredTransfer | undefined>
  /** The transfer that gave a fid the name it holds. */
  heldBy(fid: number): Promise<StoredTransfer | undefined>
  /** The transfer with the latest timestamp of all. */
  latest(): Promise<StoredTransfer | undefined>
  newestId(): Promise<number>
}

export interface NameTransferWriter extends NameTransferReader {
  /** Logs a transfer and changes the name's holder with it. Throws when the tables do not allow it. */
  insert(transfer: StoredTransfer): Promise<void>
}

export function nameTransferReader(sql: Sql): NameTransferReader {
  const first = async (text: string, parameters: SqlValue[]) =>
    asTransfers(await sql.all(text, parameters))[0]
  const list = async (
    filter: TransferFilter,
    { where = [], order }: { where?: Condition[]; order: string },
    limit: number,
  ) => {
    const conditions = [...where, ...conditionsOf(filter)]
    const text = conditions.map(([condition]) => condition).join(' and ') || 'true'
    return asTransfers(
      await sql.all(`select * from name_transfer where ${text} order by ${order} limit ?`, [
        ...conditions.flatMap(([, ...values]) => values),
        limit,
      ]),
    )
  }
  return {
    list: (filter, limit) => list(filter, { order: 'id' }, limit),
    listSince: (timestamp, filter, limit) =>
      list(filter, { where: [['timestamp > ?', timestamp]], order: 'timestamp, id' }, limit),
    listAt: (timestamp, filter, limit) =>
      list(filter, { where: [['timestamp = ?', timestamp]], order: 'id' }, limit),
    async countAt(timestamp) {
      const text = 'select count(*) as n from name_transfer where timestamp = ?'
      const [row] = await sql.all(text, [timestamp])
      return Number(row?.n ?? 0)
    },
    latestOf: (username) =>
      first('select * from name_transfer where username = ? order by timestamp desc limit 1', [
        username,
      ]),
    heldBy: (fid) =>
      first(
        `select t.* from name_holder h join name_transfer t on t.id = h.transfer_id
          where h.fid = ?`,
        [fid],
      ),
    latest: () => first('select * from name_transfer order by timestamp desc, id desc limit 1', []),
    async newestId() {
      const [row] = await sql.all('select max(id) as id from name_transfer')
      return (row?.id as number | null | undefined) ?? 0
    },
  }
}

type Condition = [text: string, ...values: SqlValue[]]

function conditionsOf({ afterId, username, fid }: TransferFilter): Condition[] {
  const conditions: Condition[] = []
  if (afterId !== undefined) conditions.push(['id > ?', afterId])
  if (username !== undefined) conditions.push(['username = ?', username])
  if (fid !== undefined) conditions.push(['(from_fid = ? or to_fid = ?)', fid, fid])
  return conditions
}

const asTransfers = (rows: Row[]) => rows as unknown as StoredTransfer[]

export function nameTransferWriter(sql: Sql): NameTransferWriter {
  return {
    ...nameTransferReader(sql),
    async insert(transfer) {
      const { id, username, to_fid } = transfer
      await sql.all(
        `insert into name_transfer (${COLUMNS.join(', ')})
         values (${COLUMNS.map(() => '?').join(', ')})`,
        COLUMNS.map((column) => transfer[column]),
      )
      await sql.all('delete from name_holder where username = ?', [username])
      if (to_fid === 0) return
      const text = 'insert into name_holder (username, fid, transfer_id) values (?, ?, ?)'
      await sql.all(text, [username, to_fid, id])
    },
  }
}

const COLUMNS = [
  'id',
  'timestamp',
  'username',
  'owner',
  'from_fid',
  'to_fid',
  'user_signature',
  'server_signature',
  'acting_fid',
] as const satisfies readonly (keyof StoredTransfer)[]
