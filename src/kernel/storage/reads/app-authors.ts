import { MESSAGE_SETS, reactionsByTargetKey } from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import { Fragment, fragment, joined, listed, raw } from '../engines/fragment.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { query, queryEach } from '../tables/table.ts'
import { POST_KINDS } from '../views/views.ts'
import {
  type AuthorFeed,
  type AuthorPage,
  type AuthorPosition,
  type FeedItem,
  ITEM,
  MAX_SCANNED_ROWS,
  newestFirst,
} from './app-feeds.ts'
import { beyondMessage } from './message-lists.ts'
import { IS_PUBLISHED, isPublishedFid } from './published.ts'

// Casts and recasts of authors.

// Each step finds the next older post of an author by the index on (fid, doc).
const AUTHOR_POSTS = listStatement(
  { fid: 'bigint', low: 'bigint', before: 'bigint', most: 'bigint', last_kind: 'bigint' },
  `, walk(fid, low, remaining, doc, last_kind, step) as (
     select fid, low, most, before, last_kind, cast(0 as bigint) from input
     union all
     select w.fid, w.low, w.remaining - 1,
            (select p.doc from view_post p
              where p.fid = w.fid and p.kind <> 2 and p.kind <= w.last_kind
                and p.doc < w.doc and p.doc >= w.low
              order by p.doc desc limit 1),
            w.last_kind, w.step + 1
       from walk w where w.remaining > 0 and w.doc is not null)
   select ${ITEM} from walk w join view_post p on p.doc = w.doc where w.step > 0`,
)

type PostRange = {
  readonly low: number
  readonly before: number
  readonly most: number
  /** See POST_KINDS. */
  readonly lastKind: number
}

/** The newest posts of authors together. */
export async function newestPostsOf(
  sql: Sql,
  fids: readonly number[],
  { low, before, most, lastKind }: PostRange,
): Promise<FeedItem[]> {
  const rows = fids.map((fid) => ({ fid, low, before, most, last_kind: lastKind }))
  const items: FeedItem[] = await queryEach(sql, AUTHOR_POSTS, rows)
  return items.sort(newestFirst).slice(0, most)
}

/** The newest messages of an author in a set, of which a page looks at MAX_SCANNED_ROWS. */
function scannedMessages({ fid, after }: Pick<AuthorFeed, 'fid' | 'after'>, set: number): Fragment {
  const from = after && beyondMessage(after, true, 'n.')
  const older = from ? new Fragment(from.comparison, from.values) : raw('')
  return fragment`from stored_message n where n.fid = ${fid} and n.store = ${raw(set)} ${older}
      order by n.timestamp desc, n.hash_key desc`
}

type RecastFeed = Pick<AuthorFeed, 'fid' | 'after' | 'limit'>

/** A page of rows; one more row than fits was read; and where the list goes on. */
async function authorPage(
  sql: Sql,
  rows: readonly (FeedItem & AuthorPosition)[],
  limit: number,
  scanned: Fragment,
): Promise<AuthorPage> {
  const items = rows.slice(0, limit)
  if (rows.length > limit) return { items, next: items.at(-1) }
  const [last] = await query<AuthorPosition>(
    sql,
    fragment`select n.timestamp, n.hash ${scanned} limit 1 offset ${raw(MAX_SCANNED_ROWS - 1)}`,
  )
  return { items, next: last }
}

/** One author's casts. */
async function castsBy(
  sql: Sql,
  { fid, after, limit, ...filter }: AuthorFeed,
): Promise<AuthorPage> {
  const { only, place, signers } = filter
  const scanned = scannedMessages({ fid, after }, MESSAGE_SETS.casts)
  const conditions = [
    raw(`m.type = ${MessageType.CAST_ADD} ${IS_PUBLISHED}`),
    ...when(only, (kind) => fragment`p.kind = ${POST_KINDS[kind]}`),
    ...when(place, (id) => fragment`p.place = ${id}`),
    ...when(signers, (keys) => fragment`m.signer in (${listed(keys)})`),
  ]
  const rows = await query<FeedItem & AuthorPosition>(
    sql,
    fragment`select ${raw(ITEM)}, x.timestamp, m.hash
       from (select n.id, n.timestamp, n.hash_key ${scanned} limit ${raw(MAX_SCANNED_ROWS)}) x
       join stored_message m on m.id = x.id
       join view_post p on p.key = substr(m.slot, 2)
      where ${joined(conditions, ' and ')}
      order by x.timestamp desc, x.hash_key desc limit (${limit + 1} + 0)`,
  )
  return authorPage(sql, rows, limit, scanned)
}

const when = <T>(value: T | undefined, condition: (value: T) => Fragment): Fragment[] =>
  value === undefined ? [] : [condition(value)]

// A target begins with three bytes: the set, the type, and 1 for a cast. Then comes its key.
const RECAST_OF_CAST = reactionsByTargetKey(ReactionType.RECAST, Uint8Array.of(1))

/** Recasts of one user. */
async function recastsBy(sql: Sql, { fid, after, limit }: RecastFeed): Promise<AuthorPage> {
  const scanned = scannedMessages({ fid, after }, MESSAGE_SETS.reactions)
  const rows = await query<FeedItem & AuthorPosition>(
    sql,
    fragment`select m.fid, 0 as doc, 3 as kind, x.timestamp, m.hash, substr(m.target, 4) as key
       from (select n.id, n.timestamp, n.hash_key ${scanned} limit ${raw(MAX_SCANNED_ROWS)}) x
       join stored_message m on m.id = x.id
      where substr(m.target, 1, 3) = ${RECAST_OF_CAST} and ${raw(isPublishedFid('m.fid'))}
      order by x.timestamp desc, x.hash_key desc limit (${limit + 1} + 0)`,
  )
  return authorPage(sql, rows, limit, scanned)
}

export const authorReader = (sql: Sql) => ({
  /** Casts and recasts of some authors, newest first. */
  byAuthors: (
    fids: readonly number[],
    { withRecasts, before, limit }: { withRecasts: boolean; before: number; limit: number },
  ): Promise<FeedItem[]> => {
    const lastKind = withRecasts ? POST_KINDS.recast : POST_KINDS.cast
    return newestPostsOf(sql, [...new Set(fids)], { low: 0, before, most: limit, lastKind })
  },
  /** One author's casts, newest first; looks at MAX_SCANNED_ROWS at most. */
  byAuthor: (feed: AuthorFeed) => castsBy(sql, feed),
  /** Recasts of one user by the time of the recast, newest first; looks at MAX_SCANNED_ROWS at most. */
  recastsBy: (feed: RecastFeed) => recastsBy(sql, feed),
})
