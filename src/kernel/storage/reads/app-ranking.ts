import { MESSAGE_SETS, reactionsByTargetKey } from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import { fragment, raw } from '../engines/fragment.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { query, queryEach, rowsWith } from '../tables/table.ts'
import type { FeedItem } from './app-feeds.ts'
import { IS_PUBLISHED } from './published.ts'
import type { Shown, Viewer } from './shown.ts'

// Stored ranked lists of casts, and the casts that others are ranked from: top-level casts with their counts.

export type RankedItem = FeedItem & {
  readonly likes: number
  readonly recasts: number
  readonly replies: number
  readonly quotes: number
}

const COLUMNS = 'p.doc, p.fid, p.kind, p.key, c.likes, c.recasts, c.replies, c.quotes'
const BY_KEYS = listStatement(
  { key: 'bytea' },
  `select ${COLUMNS} from input i join view_post p on p.key = i.key
     join view_count c on c.key = p.key join message m on m.id = p.id
    where p.kind = 1 ${IS_PUBLISHED}`,
)
// Each step finds the next older reaction message of an author by the index on (fid, store, timestamp, hash). Before the
// first step the key may be any bytes: no message is of that time.
const REACTIONS_OF_EACH = listStatement(
  { fid: 'bigint', since: 'bigint', most: 'bigint', liked: 'bytea', recast: 'bytea' },
  `, walk(fid, since, remaining, timestamp, key, id) as (
     select fid, since, most, cast(${2 ** 40} as bigint), liked, cast(0 as bigint) from input
     union all
     select w.fid, w.since, w.remaining - 1, x.timestamp, x.hash_key, x.id
       from walk w join stored_message x on x.id = (
         select m.id from stored_message m
          where m.fid = w.fid and m.store = ${MESSAGE_SETS.reactions} and m.timestamp >= w.since
            and (m.timestamp < w.timestamp or (m.timestamp = w.timestamp and m.hash_key < w.key))
          order by m.timestamp desc, m.hash_key desc limit 1)
      where w.remaining > 0)
   select w.fid, substr(m.target, 4) as key
     from walk w join message m on m.id = w.id join input i on i.fid = w.fid
    where m.type = ${MessageType.REACTION_ADD} and substr(m.target, 1, 3) in (i.liked, i.recast)
      ${IS_PUBLISHED}`,
)

const OF_CASTS = Uint8Array.of(1)
/** Prefixes of the targets of reactions to casts; the rest of a target is the key of the cast. */
const TO_CASTS = {
  liked: reactionsByTargetKey(ReactionType.LIKE, OF_CASTS),
  recast: reactionsByTargetKey(ReactionType.RECAST, OF_CASTS),
}

export type TrendItem = FeedItem & { readonly rank: number; readonly score: number }

/** Follows of a user that are looked at. */
const MAX_FOLLOWED = 5_000

export const appRankingReader = (sql: Sql, shown: Shown) => ({
  /**
   * The casts of a stored list by rank, after the rank `after`; without those that moderation hides, and of a
   * reader without those of hidden authors.
   */
  trend(
    generation: number,
    list: string,
    limit: number,
    { after = 0, viewer }: { after?: number; viewer?: Viewer } = {},
  ): Promise<TrendItem[]> {
    return query(
      sql,
      fragment`select t.rank, t.score, p.doc, p.fid, p.kind, p.key
         from view_trend t join view_post p on p.doc = t.doc join message m on m.id = p.id
        where t.generation = ${generation} and t.list = ${list} and t.rank > ${after} ${raw(IS_PUBLISHED)}
          ${viewer ? fragment`and ${shown.to('p.fid', viewer)} and ${shown.toStrangers('p.fid', viewer)}` : raw('')}
        order by t.rank limit (${limit} + 0)`,
    )
  },
  /** The newest top-level casts of a place since a doc that have reactions or replies. */
  rankable: (since: number, limit: number, place: number): Promise<RankedItem[]> =>
    query(
      sql,
      `select ${COLUMNS} from (
         select n.doc from view_post n where n.place = ? and n.kind = 1 and n.doc >= ?
          order by n.doc desc limit (? + 0)) x
       join view_post p on p.doc = x.doc join view_count c on c.key = p.key
       join message m on m.id = p.id where p.kind = 1 ${IS_PUBLISHED}`,
      [place, since, limit],
    ),
  /**
   * The casts that each of some accounts liked or recast since a time (network seconds): of their `most` newest
   * reactions, in no order.
   */
  reactionsOfEach: (
    fids: readonly number[],
    since: number,
    most: number,
  ): Promise<{ fid: number; key: Uint8Array }[]> =>
    queryEach(
      sql,
      REACTIONS_OF_EACH,
      [...new Set(fids)].map((fid) => ({ fid, since, most, ...TO_CASTS })),
    ),
  /** Those of these casts that begin threads and have reactions or replies. */
  rankableByKeys: (keys: readonly Uint8Array[]): Promise<RankedItem[]> =>
    queryEach(sql, BY_KEYS, rowsWith('key', keys)),
  /** The accounts that a user follows, the newest follows first. */
  async followedBy(fid: number): Promise<number[]> {
    const text =
      'select f.target from view_follow f where f.fid = ? order by f.at desc limit (? + 0)'
    const rows = await query<{ target: number }>(sql, text, [fid, MAX_FOLLOWED])
    return rows.map(({ target }) => target)
  },
})
