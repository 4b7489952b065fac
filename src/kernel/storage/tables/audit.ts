import { MESSAGE_SETS } from '../../protocol/slots.ts'
import { HOUR_SECONDS } from '../../protocol/time.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import { listStatement, type Sql } from '../engines/sql.ts'
import { recountViews } from '../views/view-recount.ts'
import { CHAIN_EVENTS, SIGNERS, type SignerState, type StoredChainEvent } from './accounts.ts'
import type { ActiveFid } from './activity.ts'
import type { KeptCount } from './row-counts.ts'
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

/** The stored counts of a channel and the actual numbers of rows. */
type ChannelCounts = {
  readonly id: string
  readonly follower_count: number
  readonly followers: number
  readonly member_count: number
  readonly members: number
}

/** The stored number of members of a starter pack and the actual number of rows. */
type PackCounts = { readonly id: string; readonly member_count: number; readonly members: number }

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

const MENTIONS = listStatement(
  { id: 'bigint' },
  'select x.mentioned, x.timestamp, x.hash, x.fid, x.id from input i join mention x on x.id = i.id',
)
const MISCOUNTED_PACKS = `select * from (
    select p.id, p.member_count,
      (select count(*) from starter_pack_member m where m.pack_id = p.id) as members
    from starter_pack p) as counted
  where member_count <> members order by id limit ?`
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
const WRONG_ROW_COUNTS = `select * from (
    select c.name, c.rows, coalesce((select k.value from row_total k
      where k.name = c.name order by k.change desc limit 1), 0) as kept from (
      select 'message' as name, count(*) as rows from message
      union all select 'cast', count(*) from message 
       where store = ${MESSAGE_SETS.casts} and type = ${MessageType.CAST_ADD}
      union all select 'custody', count(*) from custody
      union all select 'name_proof', count(*) from name_proof
      union all select 'media', count(*) from media
      union all select 'media_bytes',
        cast(coalesce(sum(large_bytes + small_bytes), 0) as bigint) from media) as c) as compared
  where kept <> rows order by name`
const MISSING_ACTIVITY = `select m.fid, m.hour from (
    select fid, max(timestamp) / 3600 as hour from message
     where timestamp >= ? group by fid) m
    left join active_fid a on a.fid = m.fid
  where a.fid is null or a.hour < m.hour order by m.fid limit (? + 0)`
const MISCOUNTED_CHANNELS = `select * from (
    select c.id, c.follower_count, c.member_count,
      (select count(*) from channel_follow f where f.channel_id = c.id) as followers,
      (select count(*) from channel_standing s
        where s.channel_id = c.id and s.standing = 'member') as members
    from channel c) as counted
  where follower_count <> followers or member_count <> members order by id limit (? + 0)`
const MISCOUNTED_ACTIONS = `select * from (
    select a.id, a.url, a.installs,
      (select count(*) from installed_action i where i.action_id = a.id) as users
    from action a) as counted
  where installs <> users order by id limit (? + 0)`
const MISCOUNTED_SPONSORS = `select * from (
    select c.fid, c.balance, c.reserved,
      (select cast(coalesce(sum(e.amount), 0) as bigint)
         from sponsor_entry e where e.fid = c.fid) as entered,
      (select count(*) from signed_key_request r
        where r.state = 'approved' and r.sponsor_fid = c.fid) as approved
    from sponsor_credit c) as summed
  where balance <> entered or (reserved = 0) <> (approved = 0) order by fid limit (? + 0)`
const LOST_MENTIONS =
  'select x.* from mention x left join message m on m.id = x.id where m.id is null limit (? + 0)'
const USAGE_AFTER = `select fid, store, count from usage where (fid, store) > (?, ?)
  order by fid, store limit (? + 0)`
const ACCOUNTS_AFTER = `${ACCOUNT_TABLES.map(
  (table) =>
    `select fid from (select distinct fid from ${table} where fid > ? order by fid limit (? + 0)) as fids`,
).join(' union ')} order by fid limit (? + 0)`

type RowCounts = { messages: number; events: number; chainEvents: number }
type WrongRowCount = { name: KeptCount; kept: number; rows: number }

/** Queries of the integrity check: all rows in batches, and orphaned rows. */
export const auditReader = (sql: Sql) => ({
  /** Differences between the views and the messages. The views must have read every event. */
  recountViews: () => recountViews(sql),
  rowCounts: async () => (await query<RowCounts>(sql, ROW_COUNTS))[0]!,
  /** Kept row counts that differ from the number of rows. */
  wrongRowCounts: () => query<WrongRowCount>(sql, WRONG_ROW_COUNTS),
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
  /** Channels whose counts differ from their rows. */
  miscountedChannels: (limit: number) => query<ChannelCounts>(sql, MISCOUNTED_CHANNELS, [limit]),
  /** Starter packs whose number of members differs from their rows. */
  miscountedPacks: (limit: number) => query<PackCounts>(sql, MISCOUNTED_PACKS, [limit]),
  /** Actions whose number of installs differs from their rows. */
  miscountedActions: (limit: number) => query<ActionCounts>(sql, MISCOUNTED_ACTIONS, [limit]),
  /** Sponsors whose balance differs from their entries, or whose reserve has no approved request. */
  miscountedSponsors: (limit: number) => query<SponsorSums>(sql, MISCOUNTED_SPONSORS, [limit]),
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
