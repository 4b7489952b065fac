import { listStatement, type Sql, type SqlValue } from '../engines/sql.ts'
import { recountViews, type ViewDifference } from '../views/view-recount.ts'
import { CHAIN_EVENTS, SIGNERS, type SignerState, type StoredChainEvent } from './accounts.ts'
import type { ActiveFid } from './activity.ts'
import type { CountedTable } from './row-counts.ts'
import { query, queryEach } from './table.ts'

/** A mention: a cast and a fid that it mentions. */
type StoredMention = {
  readonly mentioned: number
  readonly timestamp: number
  readonly hash: Uint8Array
  readonly fid: number
  readonly id: number
}

export type Usage = { readonly fid: number; readonly store: number; readonly count: number }

/** The stored counts of a channel and the actual numbers of rows. */
type ChannelCounts = {
  readonly id: string
  readonly follower_count: number
  readonly followers: number
  readonly member_count: number
  readonly members: number
}

/** The stored number of installs of an action and the actual number of rows. */
type ActionCounts = {
  readonly url: string
  readonly installs: number
  readonly users: number
}

/** The balance of a sponsor, the sum of its entries, and the number of requests with reserved credits. */
type SponsorSums = {
  readonly fid: number
  readonly balance: number
  readonly reserved: number
  readonly entered: number
  readonly approved: number
}

/** Queries of the integrity check: all rows in batches, and rows without what they belong to. */
interface AuditReader {
  /** What is wrong about the views, which must have read every event. */
  recountViews(): Promise<ViewDifference[]>
  rowCounts(): Promise<{ messages: number; events: number; chainEvents: number }>
  /** Kept row counts that differ from the number of rows. */
  wrongRowCounts(): Promise<{ name: CountedTable; kept: number; rows: number }[]>
  /** Fids whose newest message from this hour on is not noted as their activity. */
  unnotedActivity(fromHour: number, limit: number): Promise<ActiveFid[]>
  mentionsOf(ids: readonly number[]): Promise<StoredMention[]>
  /** Mentions without their message. */
  lostMentions(limit: number): Promise<StoredMention[]>
  /** By fid and store. */
  usageAfter(after: Pick<Usage, 'fid' | 'store'>, limit: number): Promise<Usage[]>
  /** Channels whose counts differ from their rows. */
  miscountedChannels(limit: number): Promise<ChannelCounts[]>
  /** Actions whose number of installs differs from their rows. */
  miscountedActions(limit: number): Promise<ActionCounts[]>
  /** Sponsors whose balance differs from their entries, or whose reserve has no approved request. */
  miscountedSponsors(limit: number): Promise<SponsorSums[]>
  eventTypes(ids: readonly number[]): Promise<{ id: number; type: number }[]>
  /** Fids above `after` with any account data, in order. */
  accountsAfter(after: number, limit: number): Promise<number[]>
  signersOf(fids: readonly number[]): Promise<SignerState[]>
  chainEventsOf(fids: readonly number[]): Promise<StoredChainEvent[]>
}

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
const SECONDS_PER_HOUR = 3_600
const ACCOUNT_TABLES = ['chain_event', 'custody', 'signer', 'storage_rent']

export function auditReader(sql: Sql): AuditReader {
  const select = <T>(text: string, parameters: SqlValue[] = []) => query<T>(sql, text, parameters)
  const byId = (ids: readonly number[]) => ids.map((id) => ({ id }))
  const byFid = (fids: readonly number[]) => fids.map((fid) => ({ fid }))
  return {
    recountViews: () => recountViews(sql),
    async rowCounts() {
      const [row] = await select<{ messages: number; events: number; chainEvents: number }>(
        `select (select count(*) from message) as messages, (select count(*) from event) as events,
                (select count(*) from chain_event) as "chainEvents"`,
      )
      return row!
    },
    wrongRowCounts: () =>
      select(
        `select * from (
           select c.name, c.rows, coalesce((select k.value from row_total k
             where k.name = c.name order by k.change desc limit 1), 0) as kept from (
             select 'message' as name, count(*) as rows from message
             union all select 'cast', count(*) from message where store = 1 and type = 1
             union all select 'custody', count(*) from custody
             union all select 'name_proof', count(*) from name_proof) as c) as compared
         where kept <> rows order by name`,
      ),
    unnotedActivity: (fromHour, limit) =>
      select(
        `select m.fid, m.hour from (
           select fid, max(timestamp) / 3600 as hour from message
            where timestamp >= ? group by fid) m
           left join active_fid a on a.fid = m.fid
         where a.fid is null or a.hour < m.hour order by m.fid limit (? + 0)`,
        [fromHour * SECONDS_PER_HOUR, limit],
      ),
    mentionsOf: (ids) => queryEach(sql, MENTIONS, byId(ids)),
    lostMentions: (limit) =>
      select(
        'select x.* from mention x left join message m on m.id = x.id where m.id is null limit (? + 0)',
        [limit],
      ),
    usageAfter: ({ fid, store }, limit) =>
      select(
        `select fid, store, count from usage where (fid, store) > (?, ?)
          order by fid, store limit (? + 0)`,
        [fid, store, limit],
      ),
    miscountedChannels: (limit) =>
      select(
        `select * from (
           select c.id, c.follower_count, c.member_count,
             (select count(*) from channel_follow f where f.channel_id = c.id) as followers,
             (select count(*) from channel_standing s
               where s.channel_id = c.id and s.standing = 'member') as members
           from channel c) as counted
         where follower_count <> followers or member_count <> members order by id limit (? + 0)`,
        [limit],
      ),
    miscountedActions: (limit) =>
      select(
        `select * from (
           select a.id, a.url, a.installs,
             (select count(*) from installed_action i where i.action_id = a.id) as users
           from action a) as counted
         where installs <> users order by id limit (? + 0)`,
        [limit],
      ),
    miscountedSponsors: (limit) =>
      select(
        `select * from (
           select c.fid, c.balance, c.reserved,
             (select cast(coalesce(sum(e.amount), 0) as bigint)
                from sponsor_entry e where e.fid = c.fid) as entered,
             (select count(*) from signed_key_request r
               where r.state = 'approved' and r.sponsor_fid = c.fid) as approved
           from sponsor_credit c) as summed
         where balance <> entered or (reserved = 0) <> (approved = 0) order by fid limit (? + 0)`,
        [limit],
      ),
    eventTypes: (ids) => queryEach(sql, EVENT_TYPES, byId(ids)),
    async accountsAfter(after, limit) {
      const parts = ACCOUNT_TABLES.map(
        (table) =>
          `select fid from
             (select distinct fid from ${table} where fid > ? order by fid limit (? + 0)) as fids`,
      )
      const rows = await select<{ fid: number }>(
        `${parts.join(' union ')} order by fid limit (? + 0)`,
        [...ACCOUNT_TABLES.flatMap(() => [after, limit]), limit],
      )
      return rows.map(({ fid }) => fid)
    },
    signersOf: (fids) => queryEach(sql, SIGNERS_OF, byFid(fids)),
    chainEventsOf: (fids) => queryEach(sql, CHAIN_EVENTS_OF, byFid(fids)),
  }
}
