import { HOUR_SECONDS } from '../../protocol/time.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { recountViews } from '../views/view-recount.ts'
import { CHAIN_EVENTS, SIGNERS, type SignerState, type StoredChainEvent } from './accounts.ts'
import type { ActiveFid } from './activity.ts'
import type { Total } from './row-counts.ts'
import { query, queryEach, rowsWith } from './table.ts'

/** A mention: a cast and a fid that it mentions. */
type StoredMention = {
  readonly mentioned: number
  readonly timestamp: number
  readonly hash: Uint8Array
  readonly fid: number
  readonly id: number
}

export type Usage = { readonly fid: number; readonly store: number; readonly count: number }

const MENTIONS = listStatement(
  { id: 'bigint' },
  'select x.mentioned, x.timestamp, x.hash, x.fid, x.id from input i join mention x on x.id = i.id',
)
const EVENT_TYPES = listStatement(
  { id: 'bigint' },
  'select e.id, e.type from input i join event e on e.id = i.id',
)
const SIGNERS_OF = listStatement(
  { fid: 'bigint' },
  `select ${SIGNERS.columns.map((name) => `s.${name}`)} from input i join signer s on s.fid = i.fid`,
)
const CHAIN_EVENTS_OF = listStatement(
  { fid: 'bigint' },
  `select ${CHAIN_EVENTS.columns.map((name) => `e.${name}`)} from input i join chain_event e on e.fid = i.fid`,
)
const ACCOUNT_TABLES = ['chain_event', 'custody', 'signer', 'storage_rent']

const ROW_COUNTS = `select (select count(*) from message) as messages, (select count(*) from event) as events,
  (select count(*) from chain_event) as "chainEvents"`
const MISSING_ACTIVITY = `select m.fid, m.hour from (
    select fid, max(timestamp) / 3600 as hour from message
     where timestamp >= ? group by fid) m
    left join active_fid a on a.fid = m.fid
  where a.fid is null or a.hour < m.hour order by m.fid limit (? + 0)`
const LOST_MENTIONS =
  'select x.* from mention x left join message m on m.id = x.id where m.id is null limit (? + 0)'
const USAGE_AFTER = `select fid, store, count from usage where (fid, store) > (?, ?)
  order by fid, store limit (? + 0)`
const ACCOUNTS_AFTER = `${ACCOUNT_TABLES.map(
  (table) =>
    `select fid from (select distinct fid from ${table} where fid > ? order by fid limit (? + 0)) as fids`,
).join(' union ')} order by fid limit (? + 0)`

type RowCounts = { messages: number; events: number; chainEvents: number }
type WrongTotal = { name: string; kept: number; rows: number }

/** Each total with the number of rows that it should be. */
const wrongTotals = (totals: readonly Total[]) => `select * from (
    select c.name, c.rows, coalesce((select k.value from row_total k
      where k.name = c.name order by k.change desc limit 1), 0) as kept from (
      ${totals.map(({ name, actual }) => `select '${name}' as name, (${actual}) as rows`).join(' union all ')}) as c) as compared
  where kept <> rows order by name`

/** Queries of the integrity check: all rows in batches, and orphaned rows. */
export const auditReader = (sql: Sql, totals: readonly Total[]) => ({
  /** Differences between the views and the messages. The views must have read every event. */
  recountViews: () => recountViews(sql),
  rowCounts: async () => (await query<RowCounts>(sql, ROW_COUNTS))[0]!,
  /** Kept totals that differ from the rows. */
  wrongTotals: () => query<WrongTotal>(sql, wrongTotals(totals)),
  /** Fids whose recorded activity is older than their newest message from this hour on. */
  missingActivity: (fromHour: number, limit: number) =>
    query<ActiveFid>(sql, MISSING_ACTIVITY, [fromHour * HOUR_SECONDS, limit]),
  mentionsOf: (ids: readonly number[]): Promise<StoredMention[]> =>
    queryEach(sql, MENTIONS, rowsWith('id', ids)),
  /** Mentions without their message. */
  lostMentions: (limit: number) => query<StoredMention>(sql, LOST_MENTIONS, [limit]),
  /** By fid and store. */
  usageAfter: ({ fid, store }: Pick<Usage, 'fid' | 'store'>, limit: number) =>
    query<Usage>(sql, USAGE_AFTER, [fid, store, limit]),
  eventTypes: (ids: readonly number[]): Promise<{ id: number; type: number }[]> =>
    queryEach(sql, EVENT_TYPES, rowsWith('id', ids)),
  /** Fids above `after` with any account data, in order. */
  async accountsAfter(after: number, limit: number): Promise<number[]> {
    const values = [...ACCOUNT_TABLES.flatMap(() => [after, limit]), limit]
    return (await query<{ fid: number }>(sql, ACCOUNTS_AFTER, values)).map(({ fid }) => fid)
  },
  signersOf: (fids: readonly number[]): Promise<SignerState[]> =>
    queryEach(sql, SIGNERS_OF, rowsWith('fid', fids)),
  chainEventsOf: (fids: readonly number[]): Promise<StoredChainEvent[]> =>
    queryEach(sql, CHAIN_EVENTS_OF, rowsWith('fid', fids)),
})
