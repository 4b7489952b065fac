import { MESSAGE_SETS } from '../../protocol/slots.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import { fragment } from '../engines/fragment.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { query, queryEach } from '../tables/table.ts'
import type { Shown, Viewer } from './shown.ts'

// Reads of the graph of follows for the app API.

/** Follows of a viewer that are looked at to find those among the followers of an account or a channel. */
export const MAX_RELEVANT_SCANNED = 10_000
/** Follows of a user, and of each of those, from which suggestions are made. */
const MAX_SUGGESTION_FOLLOWS = 100
/** Suggestions pass over accounts that follow more: to find their newest follows, all of them are read. */
const MAX_FOLLOWS_READ = 5_000

const FOLLOWS_BACK = listStatement(
  { fid: 'bigint', target: 'bigint' },
  'select f.fid, f.at from input i join view_follow f on f.fid = i.fid and f.target = i.target',
)

// A viewer follows fewer accounts than a popular account has followers.
const FOLLOWERS_FOLLOWED = `select v.target as fid from (
    select f.target from view_follow f where f.fid = ? order by f.at desc limit (? + 0)) v
  where (select 1 from view_follow f where f.fid = v.target and f.target = ?) is not null`

// `materialized` and `cross join` keep SQLite from reading all follows there are, and both engines from finding the
// hundredth newest follow of a user once for each of their follows.
const suggestionsFor = (fid: number, most: number) => fragment`with newest as materialized (
    select f.target as fid from view_follow f where f.fid = ${fid} order by f.at desc limit (${MAX_SUGGESTION_FOLLOWS} + 0)),
  followed as materialized (
    select o.fid, coalesce((select f.at from view_follow f where f.fid = o.fid
                             order by f.at desc limit 1 offset ${MAX_SUGGESTION_FOLLOWS - 1}), 0) as since
      from newest o cross join view_user u where u.fid = o.fid and u.following <= ${MAX_FOLLOWS_READ})
  select n.target as fid, count(*) as times from followed o cross join view_follow n
   where n.fid = o.fid and n.at >= o.since and n.target <> ${fid}
   group by n.target
  having (select 1 from view_follow f where f.fid = ${fid} and f.target = n.target) is null
   order by times desc, n.target limit (${most} + 0)`

/** Places that a list of active ones has at most. */
const MAX_ACTIVE = 10_000
const ACTIVITY = `select l.url, a.casts_1d, a.casts_7d, a.casts_30d
  from view_activity a join view_place l on l.id = a.place
  order by a.casts_30d desc, a.place limit (? + 0)`

const PLACES_OF_AUTHOR = `select l.url, max(x.timestamp) as newest from (
    select n.id, n.timestamp from stored_message n where n.fid = ? and n.store = ${MESSAGE_SETS.casts}
     order by n.timestamp desc, n.hash_key desc limit (? + 0)) x
  join message m on m.id = x.id
  join view_post p on p.key = substr(m.slot, 2)
  join view_place l on l.id = p.place
  where m.type = ${MessageType.CAST_ADD} group by l.url order by newest desc, l.url`

/** How much was cast below a parent url. */
export type PlaceActivity = {
  readonly url: string
  readonly casts_1d: number
  readonly casts_7d: number
  readonly casts_30d: number
}

export const appGraphReader = (sql: Sql, shown: Shown) => ({
  /** Those of the fids that follow a target, with the time of their follow (network seconds). */
  async followsBetween(fids: readonly number[], target: number): Promise<Map<number, number>> {
    const rows = await queryEach<{ fid: number; at: number }, typeof FOLLOWS_BACK.columns>(
      sql,
      FOLLOWS_BACK,
      [...new Set(fids)].map((fid) => ({ fid, target })),
    )
    return new Map(rows.map(({ fid, at }) => [fid, at]))
  },
  /** Followers of a target that a viewer follows too, out of the newest of the viewer's follows. */
  async followersFollowedBy(target: number, viewer: number): Promise<number[]> {
    const values = [viewer, MAX_RELEVANT_SCANNED, target]
    return (await query<{ fid: number }>(sql, FOLLOWERS_FOLLOWED, values)).map(({ fid }) => fid)
  },
  /** Casts of the last days by parent url of the thread, the busiest first. */
  activity: (): Promise<PlaceActivity[]> => query(sql, ACTIVITY, [MAX_ACTIVE]),
  /** The parent urls of the threads in which the newest casts of a user are, the latest first. */
  async placesOfAuthor(fid: number, newest: number): Promise<string[]> {
    return (await query<{ url: string }>(sql, PLACES_OF_AUTHOR, [fid, newest])).map(
      ({ url }) => url,
    )
  },
  /** The accounts that most follows of a user follow. */
  async suggestions(fid: number, viewer: Viewer, limit: number): Promise<number[]> {
    const rows = await query<{ fid: number }>(
      sql,
      fragment`select fid, times from (${suggestionsFor(fid, limit * 2)}) s
        where ${shown.here('s.fid', viewer)} and ${shown.toStrangers('s.fid', viewer)}
        order by times desc, fid limit (${limit} + 0)`,
    )
    return rows.map((row) => row.fid)
  },
})
