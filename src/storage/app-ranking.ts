import type { FeedItem } from './app-feeds.ts'
import { IS_PUBLISHED } from './published.ts'
import { listStatement, type Sql } from './sql.ts'
import { query, queryEach } from './table.ts'

// What ranked lists are made of: top-level casts with their counts.

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
/** Follows of a user that are looked at. */
const MAX_FOLLOWED = 5_000

export const appRankingReader = (sql: Sql) => ({
  /** The newest top-level casts since a doc that have reactions or replies; of a place, if one is given. */
  rankable(since: number, limit: number, place?: number): Promise<RankedItem[]> {
    const of = place === undefined ? 'n.kind <> 2' : 'n.place = ? and n.kind = 1'
    return query(
      sql,
      `select ${COLUMNS} from (
         select n.doc from view_post n where ${of} and n.doc >= ? order by n.doc desc limit ?) x
       join view_post p on p.doc = x.doc join view_count c on c.key = p.key
       join message m on m.id = p.id where p.kind = 1 ${IS_PUBLISHED}`,
      [...(place === undefined ? [] : [place]), since, limit],
    )
  },
  /** Those of these casts that begin threads and have reactions or replies. */
  rankableByKeys: (keys: readonly Uint8Array[]): Promise<RankedItem[]> =>
    queryEach(
      sql,
      BY_KEYS,
      keys.map((key) => ({ key })),
    ),
  /** Whom a user follows. */
  async followedBy(fid: number): Promise<number[]> {
    const text = 'select f.target from view_follow f where f.fid = ? order by f.at desc limit ?'
    const rows = await query<{ target: number }>(sql, text, [fid, MAX_FOLLOWED])
    return rows.map(({ target }) => target)
  },
})
