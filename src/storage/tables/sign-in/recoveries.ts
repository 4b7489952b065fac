import type { Sql } from '../../engines/sql.ts'
import { type RowOf, table } from '../table.ts'

/** Requests to move accounts to new keys by the recovery service of the server. */
export const RECOVERIES = table('recovery', {
  /** The address of the new key. */
  receiver: { type: 'bytes', key: true },
  fid: { type: 'fid', erasure: 'delete' },
  /** Until when the receiver's signature holds. */
  deadline: { type: 'seconds' },
  /** Of the receiver, over Transfer. */
  signature: { type: 'bytes' },
  /** What the person says to the operator. */
  note: { type: 'text', words: true },
  asked_at: { type: 'seconds' },
  /** When the account is moved; null: the operator has not decided. */
  due_at: { type: 'seconds', null: true },
})
export type Recovery = RowOf<typeof RECOVERIES>

/** Requests for all accounts together, so that a list of them is bounded. */
export const MAX_RECOVERIES = 1_000

export const recoveryReader = (sql: Sql) => ({
  byReceiver: (receiver: Uint8Array) => RECOVERIES.find(sql, receiver),
  /** The oldest first. */
  ofFid: (fid: number) =>
    RECOVERIES.select(sql, 'where fid = ? order by asked_at, receiver limit (? + 0)', [
      fid,
      MAX_RECOVERIES,
    ]),
  /** All, the oldest first. */
  list: () => RECOVERIES.select(sql, 'order by asked_at, receiver limit (? + 0)', [MAX_RECOVERIES]),
  count: () => RECOVERIES.count(sql),
  undecidedCount: () => RECOVERIES.count(sql, 'where due_at is null'),
})

export const recoveryWriter = (sql: Sql) => ({
  ...recoveryReader(sql),
  put: (recovery: Recovery) => RECOVERIES.upsert(sql, [recovery]),
  remove: (receivers: readonly Uint8Array[]) => RECOVERIES.removeBy(sql, 'receiver', receivers),
  removeOf: (fids: readonly number[]) => RECOVERIES.removeBy(sql, 'fid', fids),
})
