import type { Engine } from '../engines/engine.ts'
import { fragment, raw } from '../engines/fragment.ts'
import { listStatement, type Sql } from '../engines/sql.ts'
import { query, queryEach } from '../tables/table.ts'
import { POST_KINDS } from '../views/views.ts'
import { newestPostsOf } from './app-authors.ts'
import type { FeedItem, FollowingQuery } from './app-feeds.ts'
import { type Shown, type Viewer, viewerRow } from './shown.ts'

// The feed of the accounts that a user follows. Either the newest posts of all are scanned, or those of each followed
// account are looked up: which one is faster depends on how many accounts are followed.

// Bounds of a scan: more rows would cost more than they may save. See 9.1 of the specification of the app API;
// measured on both engines.
const MIN_SCANNED = 2_000
const MAX_SCANNED = 40_000
/** With fewer followed accounts their newest posts are cheaper than any scan. */
const MAX_FOLLOWED_FOR_SEEK_ALONE = 50
/** Above the number of all posts. */
const ALL_POSTS = 2 ** 31 - 1

/** Recasts of a cast that are looked at to find whether an earlier one is in the feed. */
const MAX_EARLIER_RECASTS = 1_000

/**
 * Recasts that a feed leaves out: the cast is not stored, or its author is hidden, or the cast has its place
 * elsewhere: as the author's own, or as an earlier recast. `isMember` selects the users of the feed.
 */
const droppedRecasts = (shown: Shown, isMember: (fid: string) => string) => {
  const isShownMember = (fid: string) => `${isMember(fid)} and ${shown.inList(fid)}`
  return listStatement(
    {
      reader: 'bigint',
      fids: 'text',
      app: 'text',
      viewer: 'bigint',
      target: 'bytea',
      doc: 'bigint',
    },
    `select i.doc from input i left join view_post c on c.key = i.target
      where c.doc is null
         or not (${shown.inList('c.fid')})
         or (c.kind = 1 and ${isShownMember('c.fid')})
         or exists (select 1 from (
              select r.fid, r.doc from view_post r
               where r.target = i.target and r.kind = 3 order by r.doc limit ${MAX_EARLIER_RECASTS}) e
              where e.doc < i.doc and ${isShownMember('e.fid')})`,
  )
}
const isFollowed = (fid: string) =>
  `(select 1 from view_follow f where f.fid = i.reader and f.target = ${fid}) is not null`
/** The fids are a string like `,2,3,`. */
const isListed = (fid: string) => `i.fids like '%,' || cast(${fid} as text) || ',%'`

type Reads = { readonly sql: Sql; readonly shown: Shown }

/** A value of the post of the row `s`. */
const postOf = (value: string) => raw(`(select ${value} from view_post p where p.doc = s.doc)`)

const lastKindOf = ({ withRecasts }: FollowingQuery) =>
  withRecasts ? POST_KINDS.recast : POST_KINDS.cast

/**
 * The newest posts of followed accounts among so many newest posts. Both engines read the list of the followed once. `case`
 * keeps PostgreSQL from joining it, and from evaluating the conditions for every post. Subqueries read the
 * few posts of the page.
 */
const scan = ({ sql, shown }: Reads, asked: FollowingQuery, posts: number): Promise<FeedItem[]> => {
  const isOfKind = asked.withRecasts
    ? raw('')
    : fragment`and ${postOf('p.kind')} = ${raw(POST_KINDS.cast)}`
  return query(
    sql,
    fragment`select s.doc, s.fid, ${postOf('p.kind')} as kind, ${postOf('coalesce(p.key, p.target)')} as key
       from (
         select s.doc, s.fid from (
           select n.doc, n.fid from view_post n where n.kind <> 2 and n.doc < ${asked.before}
            order by n.doc desc limit (${posts} + 0)) s
         where case when s.fid in (select f.target from view_follow f where f.fid = ${asked.fid})
           then ${shown.here('s.fid', asked.viewer)} ${isOfKind} else false end
         order by s.doc desc limit (${asked.limit} + 0)) s
      order by s.doc desc`,
  )
}

/** The same by the newest post of each followed account. */
async function seek({ sql, shown }: Reads, asked: FollowingQuery): Promise<FeedItem[]> {
  const { fid, before, limit } = asked
  const lastKind = lastKindOf(asked)
  const heads = await query<{ fid: number; head: number }>(
    sql,
    fragment`select fid, head from (
       select f.target as fid, (
         select p.doc from view_post p
          where p.fid = f.target and p.kind <> 2 and p.kind <= ${lastKind} and p.doc < ${before}
          order by p.doc desc limit 1) as head
       from view_follow f where f.fid = ${fid} and ${shown.here('f.target', asked.viewer)}) h
     where head is not null order by head desc limit (${limit} + 0)`,
  )
  // Nothing below the last of so many heads can be on the page.
  const low = heads.length < limit ? 0 : heads.at(-1)!.head
  const fids = heads.map((one) => one.fid)
  return newestPostsOf(sql, fids, { low, before, most: limit, lastKind })
}

/** How many accounts a fid follows. */
async function followingCount(sql: Sql, fid: number): Promise<number> {
  const [row] = await sql.all('select following from view_user where fid = ?', [fid])
  return Number(row?.following ?? 0)
}

export const followingReader = (engine: Engine, shown: Shown) => {
  const reads = { sql: engine, shown }
  const fromFollowing = droppedRecasts(shown, isFollowed)
  const fromFids = droppedRecasts(shown, isListed)
  return {
    followingCount: (fid: number) => followingCount(engine, fid),
    /**
     * Casts and recasts of the accounts that a fid follows, newest first, with recasts that are dropped later.
     * `by` says how it was found; both ways have the same result.
     */
    async following(asked: FollowingQuery, by?: 'scan' | 'seek'): Promise<FeedItem[]> {
      if (by === 'seek') return seek(reads, asked)
      if (by === 'scan') return scan(reads, asked, ALL_POSTS)
      const count = await followingCount(engine, asked.fid)
      if (count <= MAX_FOLLOWED_FOR_SEEK_ALONE) return seek(reads, asked)
      const posts = engine.scannedPerLookup * count
      const found = await scan(reads, asked, Math.min(Math.max(posts, MIN_SCANNED), MAX_SCANNED))
      return found.length === asked.limit ? found : seek(reads, asked)
    },
    /** The docs of those recasts that a feed of accounts leaves out: those that a reader follows, or a list. */
    async droppedRecasts(
      of: { readonly follower: number } | { readonly fids: readonly number[] },
      viewer: Viewer,
      items: readonly FeedItem[],
    ): Promise<Set<number>> {
      const [statement, reader, fids] =
        'follower' in of ? [fromFollowing, of.follower, ''] : [fromFids, 0, `,${of.fids.join()},`]
      const rows = items
        .filter(({ kind }) => kind === POST_KINDS.recast)
        .map(({ doc, key }) => ({ reader, fids, ...viewerRow(viewer), target: key, doc }))
      const found: { doc: number }[] = await queryEach(engine, statement, rows)
      return new Set(found.map(({ doc }) => doc))
    },
  }
}
