import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Requests to move accounts to new keys by the recovery service of the server. */
export const RECOVERIES = table('recovery', {
  /** The address of the new key. */
  receiver: { type: 'bytes', withheld: false, key: true },
  /** A key that asks for two accounts has two requests. */
  fid: { type: 'fid', key: true, erasure: 'delete', exported: true },
  /** Until when the receiver's signature holds. */
  deadline: { type: 'seconds' },
  /** Of the receiver, over Transfer. */
  signature: { type: 'bytes', withheld: WITHHELD.secret },
  /** What the person says to the operator. */
  note: { type: 'text', words: true, withheld: WITHHELD.others },
  /** Later each time that the same key asks for the same account again. */
  asked_at: { type: 'seconds' },
  /** The network provider that it came from (src/kernel/limits/client.ts); empty in rows of earlier versions. */
  provider: { type: 'line', words: false, withheld: WITHHELD.others },
  /** When the account is moved; null: the operator has not decided. */
  due_at: { type: 'seconds', null: true },
  /** Whether it began with a link in a mail. */
  by_mail: { type: 'flag' },
})
export type Recovery = RowOf<typeof RECOVERIES>
export type RecoveryKey = Pick<Recovery, 'receiver' | 'fid'>

/** Requests for all accounts together, so that a list of them is bounded. */
export const MAX_RECOVERIES = 1_000

export const recoveryReader = (sql: Sql) => ({
  find: ({ receiver, fid }: RecoveryKey) => RECOVERIES.find(sql, receiver, fid),
  /** The newest first. */
  ofReceiver: (receiver: Uint8Array) =>
    RECOVERIES.select(sql, 'where receiver = ? order by asked_at desc, fid limit (? + 0)', [
      receiver,
      MAX_RECOVERIES,
    ]),
  /** The oldest first. */
  ofFid: (fid: number) =>
    RECOVERIES.select(sql, 'where fid = ? order by asked_at, receiver limit (? + 0)', [
      fid,
      MAX_RECOVERIES,
    ]),
  /** Those that wait until the account is moved. */
  startedOf: (fid: number) =>
    RECOVERIES.select(
      sql,
      'where fid = ? and due_at is not null order by asked_at, receiver limit (? + 0)',
      [fid, MAX_RECOVERIES],
    ),
  /** All, the oldest first. */
  list: () =>
    RECOVERIES.select(sql, 'order by asked_at, receiver, fid limit (? + 0)', [MAX_RECOVERIES]),
  count: () => RECOVERIES.count(sql),
  undecidedCount: () => RECOVERIES.count(sql, 'where due_at is null'),
})

export const recoveryWriter = (sql: Sql) => ({
  ...recoveryReader(sql),
  put: (recovery: Recovery) => RECOVERIES.upsert(sql, [recovery]),
  remove: ({ receiver, fid }: RecoveryKey) => RECOVERIES.remove(sql, [{ receiver, fid }]),
  removeOf: (fids: readonly number[]) => RECOVERIES.removeBy(sql, 'fid', fids),
})

/** `storage.of(recoveryRows)` reads these tables, and `tx.of(recoveryRows)` writes them. */
export const recoveryRows = rowsOf(recoveryReader, ({ sql }) => recoveryWriter(sql))
