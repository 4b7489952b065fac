import { MESSAGE_SETS, reactionsByTargetKey } from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import { listStatement, type Sql, type SqlValue } from '../engines/sql.ts'
import { query, queryEach } from '../tables/table.ts'
import { POST_KINDS } from '../views/views.ts'
import {
  type AuthorFeed,
  type AuthorPage,
  type AuthorPosition,
  type Condition,
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
function scannedMessages(
  { fid, after }: Pick<AuthorFeed, 'fid' | 'after'>,
  set: number,
): { text: string; values: SqlValue[] } {
  const from = after && beyondMessage(after, true, 'n.')
  return {
    text: `from stored_message n where n.fid = ? and n.store = ${set} ${from?.comparison ?? ''}
      order by n.timestamp desc, n.hash_key desc`,
    values: [fid, ...(from?.values ?? [])],
  }
}

type RecastFeed = Pick<AuthorFeed, 'fid' | 'after' | 'limit'>
type Scanned = ReturnType<typeof scannedMessages>

/** A page of rows; one more row than fits was read; and where the list goes on. */
async function authorPage(
  sql: Sql,
  rows: readonly (FeedItem & AuthorPosition)[],
  limit: number,
  scanned: Scanned,
): Promise<AuthorPage> {
  const items = rows.slice(0, limit)
  if (rows.length > limit) return { items, next: items.at(-1) }
  const [last] = await query<AuthorPosition>(
    sql,
    `select n.timestamp, n.hash ${scanned.text} limit 1 offset ${MAX_SCANNED_ROWS - 1}`,
    scanned.values,
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
  const conditions: Condition[] = [
    [`m.type = ${MessageType.CAST_ADD} ${IS_PUBLISHED}`, []],
    ...when(only, (kind) => ['p.kind = ?', [POST_KINDS[kind]]]),
    ...when(place, (id) => ['p.place = ?', [id]]),
    ...when(signers, (keys) => [`m.signer in (${keys.map(() => '?').join(', ') || 'null'})`, keys]),
  ]
  const rows = await query<FeedItem & AuthorPosition>(
    sql,
    `select ${ITEM}, x.timestamp, m.hash
       from (select n.id, n.timestamp, n.hash_key ${scanned.text} limit ${MAX_SCANNED_ROWS}) x
       join stored_message m on m.id = x.id
       join view_post p on p.key = substr(m.slot, 2)
      where ${conditions.map(([text]) => text).join(' and ')}
      order by x.timestamp desc, x.hash_key desc limit (? + 0)`,
    [...scanned.values, ...conditions.flatMap(([, values]) => values), limit + 1],
  )
  return authorPage(sql, rows, limit, scanned)
}

const when = <T>(value: T | undefined, condition: (value: T) => Condition): Condition[] =>
  value === undefined ? [] : [condition(value)]

// A target begins with three bytes: the set, the type, and 1 for a cast. Then comes its key.
const RECAST_OF_CAST = reactionsByTargetKey(ReactionType.RECAST, Uint8Array.of(1))

/** Recasts of one user. */
async function recastsBy(sql: Sql, { fid, after, limit }: RecastFeed): Promise<AuthorPage> {
  const scanned = scannedMessages({ fid, after }, MESSAGE_SETS.reactions)
  const rows = await query<FeedItem & AuthorPosition>(
    sql,
    `select m.fid, 0 as doc, 3 as kind, x.timestamp, m.hash, substr(m.target, 4) as key
       from (select n.id, n.timestamp, n.hash_key ${scanned.text} limit ${MAX_SCANNED_ROWS}) x
       join stored_message m on m.id = x.id
      where substr(m.target, 1, 3) = ? and ${isPublishedFid('m.fid')}
      order by x.timestamp desc, x.hash_key desc limit (? + 0)`,
    [...scanned.values, RECAST_OF_CAST, limit + 1],
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
