import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

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

/** Requests for all accounts together that the operator has not decided, so that a list of them is bounded. */
export const MAX_RECOVERIES = 1_000
/** Moves that began with a mail and wait, of all accounts together: one of an account, and so one of an address. */
export const MAX_BY_MAIL = 10_000

/** Requests that the operator has not decided, the oldest first. */
const undecidedOf = (sql: Sql) =>
  RECOVERIES.select(sql, 'where due_at is null order by asked_at, receiver, fid limit (? + 0)', [
    MAX_RECOVERIES,
  ])
const startedOf = (sql: Sql, due: number) =>
  RECOVERIES.select(sql, 'where due_at <= ? order by due_at, receiver, fid limit (? + 0)', [
    due,
    MAX_RECOVERIES,
  ])

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
  /** Accounts after a fid, in its order, of which one waits until it is moved. */
  movingAfter: async (fid: number, limit: number) =>
    (
      await query<{ fid: number }>(
        sql,
        'select distinct fid from recovery where fid > ? and due_at is not null order by fid limit (? + 0)',
        [fid, limit],
      )
    ).map((row) => Number(row.fid)),
  /** The oldest first, so many of those that are not decided and of those that wait: neither keeps the other out of the list. */
  list: async () =>
    [...(await undecidedOf(sql)), ...(await startedOf(sql, Number.MAX_SAFE_INTEGER))].sort(
      (a, b) => a.asked_at - b.asked_at,
    ),
  undecided: () => undecidedOf(sql),
  /** Moves that are due by Unix seconds `due`, the earliest first. */
  started: (due: number) => startedOf(sql, due),
  byMailCount: () => RECOVERIES.count(sql, 'where by_mail = 1 and due_at is not null'),
  /** Of moves that began with a mail, the newest of the provider that most of them come from. */
  crowdedByMail: () =>
    RECOVERIES.first(
      sql,
      `where by_mail = 1 and due_at is not null and provider = (
         select provider from recovery where by_mail = 1 and due_at is not null
          group by provider order by count(*) desc, provider limit 1)
        order by asked_at desc, receiver, fid limit 1`,
      [],
    ),
  undecidedCount: () => RECOVERIES.count(sql, 'where due_at is null'),
  newestUndecided: () =>
    RECOVERIES.first(sql, 'where due_at is null order by asked_at desc, receiver, fid limit 1', []),
})

export const recoveryWriter = (sql: Sql) => ({
  ...recoveryReader(sql),
  put: (recovery: Recovery) => RECOVERIES.upsert(sql, [recovery]),
  remove: ({ receiver, fid }: RecoveryKey) => RECOVERIES.remove(sql, [{ receiver, fid }]),
  removeOf: (fids: readonly number[]) => RECOVERIES.removeBy(sql, 'fid', fids),
})

/** `storage.of(recoveryRows)` reads these tables, and `tx.of(recoveryRows)` writes them. */
export const recoveryRows = rowsOf(recoveryReader, ({ sql }) => recoveryWriter(sql))
