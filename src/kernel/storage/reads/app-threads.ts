import { fragment, raw } from '../engines/fragment.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { query, queryEach } from '../tables/table.ts'
import { type FeedItem, ITEM } from './app-feeds.ts'
import { type Shown, type Viewer, viewerRow } from './shown.ts'

// Replies to a cast, the casts above it, and its quotes.

// Each step finds the next newer reply to a cast by the index on (target, kind, doc).
const repliesStatement = (shown: Shown) =>
  listStatement(
    { target: 'bytea', most: 'bigint', app: 'text', viewer: 'bigint', channel: 'text' },
    `, walk(target, remaining, doc, app, viewer, channel) as (
     select target, most, cast(0 as bigint), app, viewer, channel from input
     union all
     select i.target, i.remaining - 1,
            (select p.doc from view_post p
              where p.target = i.target and p.kind = 2 and p.doc > i.doc
                and ${shown.inList('p.fid')}
                and ${shown.inChannel(raw('i.channel')).text}
              order by p.doc limit 1),
            i.app, i.viewer, i.channel
       from walk i where i.remaining > 0 and i.doc is not null)
   select ${ITEM}, p.target from walk w join view_post p on p.doc = w.doc`,
  )

// Up from a cast to the casts that it replies to.
const PARENTS = `with recursive up(step, target) as (
    select 1, p.target from view_post p where p.key = ? and p.kind = 2
    union all
    select u.step + 1, p.target from up u join view_post p on p.key = u.target and p.kind = 2
     where u.step < ?)
  select target from up order by step desc`

type Thread = {
  readonly viewer: Viewer
  /** The id of the channel that the thread is in; empty: none. */
  readonly channel: string
}

type Reply = FeedItem & { readonly target: Uint8Array }

export const threadReader = (sql: Sql, shown: Shown) => {
  const toAll = repliesStatement(shown)
  return {
    /** Direct replies to a cast, by time. `after` is the doc where the page before ended. */
    replies: (
      key: Uint8Array,
      {
        viewer,
        channel,
        after,
        descending,
        limit,
      }: Thread & { after: number; descending: boolean; limit: number },
    ): Promise<FeedItem[]> =>
      query(
        sql,
        fragment`select ${raw(ITEM)} from view_post p
        where p.target = ${key} and p.kind = 2 and p.doc ${raw(descending ? '<' : '>')} ${after}
          and ${shown.here('p.fid', viewer)} and ${shown.inChannel(fragment`${channel}`)}
        order by p.doc ${raw(descending ? 'desc' : 'asc')} limit (${limit} + 0)`,
      ),
    /** Direct replies to each of some casts, the `most` oldest of each, by time. */
    async repliesToAll(
      keys: readonly Uint8Array[],
      { viewer, channel, most }: Thread & { most: number },
    ): Promise<Reply[]> {
      const rows = keys.map((target) => ({ target, most, ...viewerRow(viewer), channel }))
      const found: Reply[] = await queryEach(sql, toAll, rows)
      return found.sort((a, b) => a.doc - b.doc)
    },
    /** The keys of the casts above a cast, the oldest first, at most so many. The oldest may not be stored. */
    async parents(key: Uint8Array, most: number): Promise<Uint8Array[]> {
      return (await sql.all(PARENTS, [key, most])).map((row) => row.target as Uint8Array)
    },
    /** The stored casts that quote a cast, newest first. */
    quotes: (
      key: Uint8Array,
      { viewer, before, limit }: { viewer: Viewer; before: number; limit: number },
    ): Promise<FeedItem[]> =>
      query(
        sql,
        fragment`select ${raw(ITEM)} from view_quote q join view_post p on p.doc = q.doc
        where q.key = ${key} and q.doc < ${before} and ${shown.here('p.fid', viewer)}
        order by q.doc desc limit (${limit} + 0)`,
      ),
  }
}
