import { MESSAGE_SETS, reactionSlot, reactionsByTargetKey } from '../../protocol/slots.ts'
import { MessageType, ReactionType } from '../../protocol/wire/message_pb.js'
import { type EngineName, listStatement, type Sql, type SqlValue } from '../engines/sql.ts'
import { query, queryEach } from '../tables/table.ts'
import { hiddenValues, isShown, isShownTo, type Onlooker, viewerOf } from './app-hidden.ts'
import { beyondMessage } from './message-lists.ts'
import { IS_PUBLISHED, isPublishedFid } from './published.ts'

// Lists of casts by time, out of the views. Every statement costs about the same, however many rows there are.

/** A place in a feed: a cast or a recast. `key` is that of the cast. */
export type FeedItem = {
  readonly doc: number
  readonly fid: number
  readonly kind: number
  readonly key: Uint8Array
}

/** Larger than every doc. */
export const LAST_DOC = Number.MAX_SAFE_INTEGER

const ITEM = 'p.doc, p.fid, p.kind, coalesce(p.key, p.target) as key'
const CAST_KINDS = { cast: 1, reply: 2, recast: 3 } as const

/** Rows that one page looks at where filters may leave nearly all of them out. */
const MAX_SCANNED_ROWS = 5_000

// How many of the newest items are looked at before the heads of all followed accounts are: more would cost
// more than what they may save. See 9.1 of the specification of the app API; measured on both engines.
const SCAN_PER_FOLLOWED = { sqlite: 5, postgres: 50 } as const
const MIN_SCANNED = 2_000
const MAX_SCANNED = 40_000
/** With fewer followed accounts their heads are cheaper than any scan. */
const MAX_FOLLOWED_FOR_SEEK_ALONE = 50

/** Recasts of a cast that are looked at to find whether an earlier one is in the feed. */
const MAX_EARLIER_RECASTS = 1_000

export type FollowingQuery = {
  readonly fid: number
  readonly withRecasts: boolean
  readonly onlooker: Onlooker
  /** Only items with a smaller doc. */
  readonly before: number
  readonly limit: number
}

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

// The same for replies to casts, the oldest first.
const REPLIES = listStatement(
  { target: 'bytea', most: 'bigint', app: 'text', viewer: 'bigint' },
  `, walk(target, remaining, doc, app, viewer) as (
     select target, most, cast(0 as bigint), app, viewer from input
     union all
     select i.target, i.remaining - 1,
            (select p.doc from view_post p
              where p.target = i.target and p.kind = 2 and p.doc > i.doc
                and ${isShownTo('p.fid')} and ${isPublishedFid('p.fid')}
              order by p.doc limit 1),
            i.app, i.viewer
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

/**
 * Recasts that a feed leaves out: the cast is not stored, or its author is hidden, or the cast has its place
 * elsewhere: as the author's own, or as an earlier recast. `isMember` selects the users of the feed.
 */
const droppedRecasts = (isMember: (fid: string) => string) => {
  const isShownMember = (fid: string) => `${isMember(fid)} and ${isShownFid(fid)}`
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
         or not (${isShownFid('c.fid')})
         or (c.kind = 1 and ${isShownMember('c.fid')})
         or exists (select 1 from (
              select r.fid, r.doc from view_post r
               where r.target = i.target and r.kind = 3 order by r.doc limit ${MAX_EARLIER_RECASTS}) e
              where e.doc < i.doc and ${isShownMember('e.fid')})`,
  )
}
const isShownFid = (fid: string) => `${isShownTo(fid)} and ${isPublishedFid(fid)}`
const DROPPED_FROM_FOLLOWING = droppedRecasts(
  (fid) => `(select 1 from view_follow f where f.fid = i.reader and f.target = ${fid}) is not null`,
)
/** The fids are a text like `,2,3,`. */
const DROPPED_FROM_FIDS = droppedRecasts(
  (fid) => `i.fids like '%,' || cast(${fid} as text) || ',%'`,
)

/** A place, and what the rules of its channel let through. */
export type PlaceRules = {
  /** The id of the place. */
  readonly place: number
  /** Without casts that the moderators of this channel hid, and accounts that they banned. */
  readonly channelId?: string | undefined
  /** Only members of the channel. */
  readonly membersOnly?: boolean | undefined
  /** Only what one of these users liked. */
  readonly likedBy?: readonly number[] | undefined
}

export type PlaceFeed = {
  readonly places: readonly PlaceRules[]
  readonly withReplies: boolean
  /** Only casts of these users. */
  readonly fids?: readonly number[] | undefined
  readonly onlooker: Onlooker
  readonly before: number
  readonly limit: number
}

/** Items, newest first, and where the list goes on; undefined when nothing is left. */
export type PlacePage = { readonly items: FeedItem[]; readonly next: number | undefined }

type Condition = readonly [text: string, values: readonly SqlValue[]]

function conditionsOf({ channelId, membersOnly, likedBy }: PlaceRules): Condition[] {
  const conditions: Condition[] = []
  const standing = '(select 1 from channel_standing s where s.channel_id = ? and s.fid = p.fid'
  if (channelId !== undefined) {
    const newest = `(select a.action from channel_moderation a
      where a.channel_id = ? and a.cast_hash = cast(substr(p.key, 5) as BYTES)
      order by a.id desc limit 1)`
    conditions.push([`coalesce(${newest}, '') <> 'hide'`, [channelId]])
    conditions.push([`${standing} and s.standing = 'banned') is null`, [channelId]])
    if (membersOnly) {
      conditions.push([`${standing} and s.standing = 'member') is not null`, [channelId]])
    }
  }
  if (likedBy) {
    // The slot of a like ends with the key of the cast.
    const slots = likedBy.map((fid) => reactionSlot(fid, ReactionType.LIKE, Uint8Array.of(1)))
    const marks = slots.map(() => 'cast(cast(? as BYTES) || p.key as BYTES)').join(', ')
    const liked = `(select 1 from message l where l.slot in (${marks || 'null'})
      and l.type = ${MessageType.REACTION_ADD} limit 1) is not null`
    conditions.push([liked, slots])
  }
  return conditions
}

/** What the post of the item `s` has. */
const postOf = (value: string) => `(select ${value} from view_post p where p.doc = s.doc)`

export function appFeedReader(sql: Sql, kind: EngineName) {
  /** The newest posts of authors: the `most` newest of each, or fewer, that are together complete. */
  const seek = async (
    heads: readonly { fid: number; head: number }[],
    { before, most, lastKind }: { before: number; most: number; lastKind: number },
  ): Promise<FeedItem[]> => {
    // Nothing below the last of so many heads can be on the page.
    const low = heads.length < most ? 0 : heads.at(-1)!.head
    const rows = heads.map(({ fid }) => ({ fid, low, before, most, last_kind: lastKind }))
    const items = await queryEach<FeedItem, typeof AUTHOR_POSTS.columns>(sql, AUTHOR_POSTS, rows)
    return items.sort((a, b) => b.doc - a.doc).slice(0, most)
  }

  /** The newest posts of a list that meet conditions, among MAX_SCANNED_ROWS of it. */
  const scan = async ({
    scanned: [which, values],
    conditions,
    onlooker,
    before,
    limit,
  }: {
    readonly scanned: Condition
    readonly conditions: readonly Condition[]
    readonly onlooker: Onlooker
    readonly before: number
    readonly limit: number
  }): Promise<PlacePage> => {
    const scanned = `from view_post n where ${which} and n.doc < ? order by n.doc desc`
    const scannedValues = [...values, before]
    const all: Condition[] = [
      [`${isShown('p.fid')} and ${isPublishedFid('p.fid')}`, hiddenValues(onlooker)],
      ...conditions,
    ]
    const items = await query<FeedItem>(
      sql,
      `select ${ITEM} from (select n.doc ${scanned} limit ${MAX_SCANNED_ROWS}) x
         join view_post p on p.doc = x.doc
        where ${all.map(([text]) => text).join(' and ')}
        order by x.doc desc limit ?`,
      [...scannedValues, ...all.flatMap(([, bound]) => bound), limit + 1],
    )
    if (items.length > limit) return { items, next: items[limit - 1]!.doc }
    const [last] = await query<{ doc: number }>(
      sql,
      `select n.doc ${scanned} limit 1 offset ${MAX_SCANNED_ROWS - 1}`,
      scannedValues,
    )
    return { items, next: last?.doc }
  }

  return {
    /** How many accounts a fid follows. */
    async followingCount(fid: number): Promise<number> {
      const [row] = await sql.all('select following from view_user where fid = ?', [fid])
      return Number(row?.following ?? 0)
    },

    /**
     * What the accounts that a fid follows have cast or recast, newest first, with recasts that are dropped later.
     * `by` says how it was found; both ways have the same result.
     */
    async following(
      { fid, withRecasts, onlooker, before, limit }: FollowingQuery,
      by?: 'scan' | 'seek',
    ): Promise<FeedItem[]> {
      const lastKind = withRecasts ? CAST_KINDS.recast : CAST_KINDS.cast
      const shownFid = (column: string) => `${isShown(column)} and ${isPublishedFid(column)}`
      // Both engines read the list of the followed once. `case` keeps PostgreSQL from joining it, and from asking
      // of everything it passes what only matters of the followed. Subqueries read the few posts of the page.
      const scan = (rows: number) =>
        query<FeedItem>(
          sql,
          `select s.doc, s.fid, ${postOf('p.kind')} as kind, ${postOf('coalesce(p.key, p.target)')} as key
             from (
               select s.doc, s.fid from (
                 select n.doc, n.fid from view_post n where n.kind <> 2 and n.doc < ?
                  order by n.doc desc limit ?) s
               where case when s.fid in (select f.target from view_follow f where f.fid = ?)
                 then ${shownFid('s.fid')}
                   ${withRecasts ? '' : `and ${postOf('p.kind')} = ${CAST_KINDS.cast}`}
                 else false end
               order by s.doc desc limit ?) s
            order by s.doc desc`,
          [before, rows, fid, ...hiddenValues(onlooker), limit],
        )
      const heads = () =>
        query<{ fid: number; head: number }>(
          sql,
          `select fid, head from (
             select f.target as fid, (
               select p.doc from view_post p
                where p.fid = f.target and p.kind <> 2 and p.kind <= ? and p.doc < ?
                order by p.doc desc limit 1) as head
             from view_follow f where f.fid = ? and ${shownFid('f.target')}) h
           where head is not null order by head desc limit ?`,
          [lastKind, before, fid, ...hiddenValues(onlooker), limit],
        )
      const seekAll = async () => seek(await heads(), { before, most: limit, lastKind })
      if (by === 'seek') return seekAll()
      if (by === 'scan') return scan(LAST_DOC)
      const count = await this.followingCount(fid)
      if (count <= MAX_FOLLOWED_FOR_SEEK_ALONE) return seekAll()
      const rows = SCAN_PER_FOLLOWED[kind] * count
      const found = await scan(Math.min(Math.max(rows, MIN_SCANNED), MAX_SCANNED))
      return found.length === limit ? found : seekAll()
    },

    /** The docs of those recasts that a feed of accounts leaves out: those that a reader follows, or a list. */
    async droppedRecasts(
      of: { readonly follower: number } | { readonly fids: readonly number[] },
      { app, viewer }: Onlooker,
      items: readonly FeedItem[],
    ): Promise<Set<number>> {
      const reader = 'follower' in of ? of.follower : 0
      const fids = 'fids' in of ? `,${of.fids.join()},` : ''
      const recasts = items.filter(({ kind }) => kind === CAST_KINDS.recast)
      const rows = recasts.map(({ doc, key: target }) => {
        return { reader, fids, app, viewer: viewer ?? 0, target, doc }
      })
      const statement = 'follower' in of ? DROPPED_FROM_FOLLOWING : DROPPED_FROM_FIDS
      const found = await queryEach<{ doc: number }, typeof statement.columns>(sql, statement, rows)
      return new Set(found.map(({ doc }) => doc))
    },

    /** What some authors have cast or recast, newest first. */
    async byAuthors(
      fids: readonly number[],
      { withRecasts, before, limit }: { withRecasts: boolean; before: number; limit: number },
    ): Promise<FeedItem[]> {
      const heads = [...new Set(fids)].map((fid) => ({ fid, head: 0 }))
      const lastKind = withRecasts ? CAST_KINDS.recast : CAST_KINDS.cast
      const rows = heads.map(({ fid }) => ({
        fid,
        low: 0,
        before,
        most: limit,
        last_kind: lastKind,
      }))
      const items = await queryEach<FeedItem, typeof AUTHOR_POSTS.columns>(sql, AUTHOR_POSTS, rows)
      return items.sort((a, b) => b.doc - a.doc).slice(0, limit)
    },

    /** The ids of the places with these targets (`urlTargetKey`), with their targets. */
    places: (targets: readonly Uint8Array[]): Promise<{ id: number; target: Uint8Array }[]> =>
      queryEach(
        sql,
        PLACES,
        targets.map((target) => ({ target })),
      ),

    /**
     * Casts that begin threads in some places, or also the replies to them, newest first. Looks at
     * MAX_SCANNED_ROWS of each list at most, so a page may be short and go on.
     */
    async byPlaces({
      places,
      withReplies,
      fids,
      onlooker,
      before,
      limit,
    }: PlaceFeed): Promise<PlacePage> {
      const kinds = withReplies ? [CAST_KINDS.cast, CAST_KINDS.reply] : [CAST_KINDS.cast]
      const readList = (rules: PlaceRules, kind: number): Promise<PlacePage> =>
        scan({
          scanned: ['n.place = ? and n.kind = ?', [rules.place, kind]],
          conditions: [
            ...conditionsOf(rules),
            ...(fids ? [[`p.fid in (${fids.map(() => '?').join(', ')})`, fids] as Condition] : []),
          ],
          onlooker,
          before,
          limit,
        })
      const lists = await Promise.all(
        places.flatMap((rules) => kinds.map((kind) => readList(rules, kind))),
      )
      // Nothing older than where one of the lists goes on may be shown yet.
      const low = Math.max(0, ...lists.map(({ next }) => next ?? 0))
      const merged = lists.flatMap(({ items }) => items).sort(newestFirst)
      const items = merged.filter(({ doc }) => doc >= low).slice(0, limit)
      const isCut = items.length === limit && merged.length > limit
      return { items, next: isCut ? items.at(-1)!.doc : low || undefined }
    },

    /** Casts of everybody that begin threads, newest first. A page may be short and go on. */
    async newest({
      onlooker,
      before,
      limit,
    }: {
      readonly onlooker: Onlooker
      readonly before: number
      readonly limit: number
    }): Promise<PlacePage> {
      const isCast: Condition = [`p.kind = ${CAST_KINDS.cast}`, []]
      const page = await scan({
        scanned: ['n.kind <> 2', []],
        conditions: [isCast],
        onlooker,
        before,
        limit,
      })
      return { ...page, items: page.items.slice(0, limit) }
    },

    /** Direct replies to a cast, by time. `after` is the doc where the page before ended. */
    replies: (
      key: Uint8Array,
      {
        onlooker,
        after,
        descending,
        limit,
      }: { onlooker: Onlooker; after: number; descending: boolean; limit: number },
    ): Promise<FeedItem[]> =>
      query(
        sql,
        `select ${ITEM} from view_post p
          where p.target = ? and p.kind = 2 and p.doc ${descending ? '<' : '>'} ?
            and ${isShown('p.fid')} and ${isPublishedFid('p.fid')}
          order by p.doc ${descending ? 'desc' : 'asc'} limit ?`,
        [key, after, ...hiddenValues(onlooker), limit],
      ),

    /** Direct replies to each of some casts, the `most` oldest of each, in the order of the casts. */
    async repliesToAll(
      keys: readonly Uint8Array[],
      { onlooker, most }: { onlooker: Onlooker; most: number },
    ): Promise<(FeedItem & { readonly target: Uint8Array })[]> {
      const viewer = viewerOf(onlooker)
      const rows = keys.map((target) => ({ target, most, app: onlooker.app, viewer }))
      const found = await queryEach<FeedItem & { target: Uint8Array }, typeof REPLIES.columns>(
        sql,
        REPLIES,
        rows,
      )
      return found.sort((a, b) => a.doc - b.doc)
    },

    /** The keys of the casts above a cast, the oldest first, at most so many. The oldest may not be stored. */
    async parents(key: Uint8Array, most: number): Promise<Uint8Array[]> {
      return (await sql.all(PARENTS, [key, most])).map((row) => row.target as Uint8Array)
    },

    /** The stored casts that quote a cast, newest first. */
    quotes: (
      key: Uint8Array,
      { onlooker, before, limit }: { onlooker: Onlooker; before: number; limit: number },
    ): Promise<FeedItem[]> =>
      query(
        sql,
        `select ${ITEM} from view_quote q join view_post p on p.doc = q.doc
          where q.key = ? and q.doc < ? and ${isShown('p.fid')} and ${isPublishedFid('p.fid')}
          order by q.doc desc limit ?`,
        [key, before, ...hiddenValues(onlooker), limit],
      ),

    /** What one user has recast, by the time of the recast, newest first; looks at MAX_SCANNED_ROWS at most. */
    async recastsBy({ fid, after, limit }: Omit<AuthorFeed, 'replies'>): Promise<AuthorPage> {
      const from = after && beyondMessage(after, true, 'n.')
      const scanned = `from message n where n.fid = ? and n.store = ${MESSAGE_SETS.reactions} ${from?.comparison ?? ''}
        order by n.timestamp desc, n.HASH_KEY desc`
      const scannedValues = [fid, ...(from?.values ?? [])]
      // A target begins with three bytes: the set, the type, and 1 for a cast. Then comes its key.
      const ofCast = reactionsByTargetKey(ReactionType.RECAST, Uint8Array.of(1))
      const rows = await query<FeedItem & AuthorPosition>(
        sql,
        `select m.fid, 0 as doc, 3 as kind, x.timestamp, m.hash, cast(substr(m.target, 4) as BYTES) as key
           from (select n.id, n.timestamp, n.HASH_KEY ${scanned} limit ${MAX_SCANNED_ROWS}) x
           join message m on m.id = x.id
          where substr(m.target, 1, 3) = ? and ${isPublishedFid('m.fid')}
          order by x.timestamp desc, x.HASH_KEY desc limit ?`,
        [...scannedValues, ofCast, limit + 1],
      )
      return authorPage(rows, limit, scanned, scannedValues)
    },

    /** One author's casts, newest first; looks at MAX_SCANNED_ROWS at most. */
    async byAuthor({ fid, after, limit, ...filter }: AuthorFeed): Promise<AuthorPage> {
      const { only, place, signers } = filter
      const from = after && beyondMessage(after, true, 'n.')
      const scanned = `from message n where n.fid = ? and n.store = ${MESSAGE_SETS.casts} ${from?.comparison ?? ''}
        order by n.timestamp desc, n.HASH_KEY desc`
      const scannedValues = [fid, ...(from?.values ?? [])]
      const conditions: Condition[] = [
        [`m.type = ${MessageType.CAST_ADD} ${IS_PUBLISHED}`, []],
        ...(only ? [['p.kind = ?', [CAST_KINDS[only]]] as Condition] : []),
        ...(place === undefined ? [] : [['p.place = ?', [place]] as Condition]),
        ...(signers ? [signedBy(signers)] : []),
      ]
      const rows = await query<FeedItem & AuthorPosition>(
        sql,
        `select ${ITEM}, x.timestamp, m.hash
           from (select n.id, n.timestamp, n.HASH_KEY ${scanned} limit ${MAX_SCANNED_ROWS}) x
           join message m on m.id = x.id
           join view_post p on p.key = cast(substr(m.slot, 2) as BYTES)
          where ${conditions.map(([text]) => text).join(' and ')}
          order by x.timestamp desc, x.HASH_KEY desc limit ?`,
        [...scannedValues, ...conditions.flatMap(([, values]) => values), limit + 1],
      )
      return authorPage(rows, limit, scanned, scannedValues)
    },
  }

  /** A page of rows; one more row than fits was read; and where the list goes on. */
  async function authorPage(
    rows: readonly (FeedItem & AuthorPosition)[],
    limit: number,
    scanned: string,
    scannedValues: readonly SqlValue[],
  ): Promise<AuthorPage> {
    const items = rows.slice(0, limit)
    if (rows.length > limit) return { items, next: items.at(-1) }
    const [last] = await query<AuthorPosition>(
      sql,
      `select n.timestamp, n.hash ${scanned} limit 1 offset ${MAX_SCANNED_ROWS - 1}`,
      scannedValues,
    )
    return { items, next: last }
  }
}

const signedBy = (keys: readonly Uint8Array[]): Condition => [
  `SIGNER_OF(m) in (${keys.map(() => '?').join(', ') || 'null'})`,
  keys,
]

const newestFirst = (a: FeedItem, b: FeedItem): number => b.doc - a.doc

const PLACES = listStatement(
  { target: 'bytea' },
  'select p.id, p.target from input i join view_place p on p.target = i.target',
)

/** A place in the list of one author's messages. */
export type AuthorPosition = { readonly timestamp: number; readonly hash: Uint8Array }

export type AuthorFeed = {
  readonly fid: number
  readonly after: AuthorPosition | undefined
  readonly limit: number
  /** Only casts that reply to no cast, or only replies to casts. */
  readonly only?: 'cast' | 'reply' | undefined
  readonly place?: number | undefined
  /** Only casts that one of these keys signed. */
  readonly signers?: readonly Uint8Array[] | undefined
}

export type AuthorPage = {
  readonly items: readonly (FeedItem & AuthorPosition)[]
  /** Where the next page begins; undefined when nothing is left. */
  readonly next: AuthorPosition | undefined
}
