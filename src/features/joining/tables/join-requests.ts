import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { WITHHELD } from '../../../kernel/storage/tables/duties.ts'
import { query, type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** People without an account who have asked to join, by the address that would hold it. */
export const JOIN_REQUESTS = table('join_request', {
  address: { type: 'bytes', withheld: false, key: true },
  /** Of the secret with which the person who asked reads what has become of it. */
  ticket_hash: { type: 'bytes', withheld: WITHHELD.secret },
  /** What the person is called. */
  called: { type: 'line', words: true },
  reason: { type: 'text', words: true },
  /** Of the network that it came from: an IPv4 /16 or an IPv6 /32. */
  provider: { type: 'line', words: false },
  state: { type: 'line', values: ['waiting', 'approved', 'declined'] },
  /** What the person is told. */
  answer: { type: 'text', words: true },
  asked_at: { type: 'seconds' },
  decided_at: { type: 'seconds', null: true },
})
export type JoinRequest = RowOf<typeof JOIN_REQUESTS>

/** Requests that wait at a time: more than a moderator reads. */
export const MAX_WAITING = 1_000

export const joinRequestReader = (sql: Sql) => ({
  find: (address: Uint8Array) => JOIN_REQUESTS.find(sql, address),
  byTicket: (hash: Uint8Array) => JOIN_REQUESTS.first(sql, 'where ticket_hash = ?', [hash]),
  /** Those that wait, the oldest first. */
  waiting: () =>
    JOIN_REQUESTS.select(sql, "where state = 'waiting' order by asked_at, address limit (? + 0)", [
      MAX_WAITING,
    ]),
  waitingCount: () => JOIN_REQUESTS.count(sql, "where state = 'waiting'"),
  /** Unix seconds at which the one that has waited longest was asked; undefined when nobody waits. */
  async oldestWaiting(): Promise<number | undefined> {
    const [row] = await query<{ readonly at: number | null }>(
      sql,
      "select min(asked_at) as at from join_request where state = 'waiting'",
    )
    return row?.at ?? undefined
  },
  waitingOfProvider: (provider: string) =>
    JOIN_REQUESTS.count(sql, "where state = 'waiting' and provider = ?", [provider]),
  /** The provider of which most wait. */
  async mostWaiting(): Promise<{ readonly provider: string; readonly n: number } | undefined> {
    const [row] = await query<{ readonly provider: string; readonly n: number }>(
      sql,
      `select provider, count(*) as n from join_request where state = 'waiting'
        group by provider order by n desc, provider limit 1`,
    )
    return row
  },
})

export const joinRequestWriter = (sql: Sql) => ({
  ...joinRequestReader(sql),
  put: (request: JoinRequest) => JOIN_REQUESTS.upsert(sql, [request]),
  remove: async (addresses: readonly Uint8Array[]): Promise<void> => {
    await JOIN_REQUESTS.remove(
      sql,
      addresses.map((address) => ({ address })),
    )
  },
  /** Who has waited longest keeps their place. */
  async removeNewestOf(provider: string): Promise<void> {
    const newest = await JOIN_REQUESTS.first(
      sql,
      "where state = 'waiting' and provider = ? order by asked_at desc, address desc limit 1",
      [provider],
    )
    if (newest) await JOIN_REQUESTS.remove(sql, [newest])
  },
  /** Forgets what nobody has decided, and decisions that nobody has followed. */
  async collect(askedBefore: number, decidedBefore: number): Promise<void> {
    await JOIN_REQUESTS.removeWhere(sql, "state = 'waiting' and asked_at < ?", [askedBefore])
    await JOIN_REQUESTS.removeWhere(sql, "state <> 'waiting' and decided_at < ?", [decidedBefore])
  },
})

/** `storage.of(joinRequestRows)` reads this table, and `tx.of(joinRequestRows)` writes it. */
export const joinRequestRows = rowsOf(joinRequestReader, ({ sql }) => joinRequestWriter(sql))
