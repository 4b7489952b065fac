import type { Engine } from '../engines/engine.ts'
import { insertStatement, listStatement, type Sql, updateStatement } from '../engines/sql.ts'
import type { WordTable } from '../engines/word-index.ts'
import { query, queryEach, rowsWith } from '../tables/table.ts'
import { emptyViews } from './view-schema.ts'
import {
  POSITION,
  type SetAside,
  VIEW_ACTIVITIES,
  VIEW_DELIVERIES,
  VIEW_FOLLOWS,
  VIEW_NOTICES,
  VIEW_PLACES,
  VIEW_POSTS,
  VIEW_QUOTES,
  VIEW_SET_ASIDE,
  VIEW_STATES,
  VIEW_TRENDS,
  type ViewActivity,
  type ViewCount,
  type ViewDelivery,
  type ViewFollow,
  type ViewNotice,
  type ViewPlace,
  type ViewPosition,
  type ViewPost,
  type ViewQuote,
  type ViewTrend,
  type ViewUser,
  viewReader,
} from './views.ts'

// The writes of the views' thread. A method runs one statement for its whole list, unless it says otherwise.

export type Tokens = readonly string[]

const NEWEST_DOCS = listStatement(
  { first: 'bigint', next: 'bigint' },
  `select i.first, (select max(p.doc) from view_post p where p.doc >= i.first and p.doc < i.next) as doc
     from input i`,
)
const RECASTS = listStatement(
  { fid: 'bigint', first: 'bigint', id: 'bigint' },
  `select p.doc, p.id from input i join view_post p
       on p.fid = i.fid and p.kind <> 2 and p.doc >= i.first and p.id = i.id`,
)
const REPLIED = listStatement(
  { key: 'bytea' },
  `select i.key from input i
    where exists (select 1 from view_post p where p.target = i.key and p.kind = 2)`,
)
const BELOW = listStatement(
  { key: 'bytea' },
  `, below(doc, key, root) as (
     select p.doc, p.key, p.doc from input i join view_post p on p.target = i.key and p.kind = 2
     union all
     select p.doc, p.key, b.root from below b join view_post p on p.target = b.key and p.kind = 2)
   select doc, root from below`,
)
const MOVE_TO_ROOTS = updateStatement(
  'view_post',
  { doc: 'bigint', root: 'bigint' },
  ({ root }) => `root = ${root}, place = null`,
  ({ doc }) => `view_post.doc = ${doc}`,
)
/** One statement for a thread: the cast with this key has a root and a place, and all below it get them. */
const JOIN_THREAD = `with recursive below(doc, key) as (
    select p.doc, p.key from view_post p where p.target = ? and p.kind = 2
    union all
    select p.doc, p.key from below b join view_post p on p.target = b.key and p.kind = 2)
  update view_post set
    root = (select p.root from view_post p where p.key = ?),
    place = (select p.place from view_post p where p.key = ?)
  where doc in (select doc from below)`

const ADD_COUNTS = insertStatement(
  'view_count',
  { key: 'bytea', likes: 'bigint', recasts: 'bigint', replies: 'bigint', quotes: 'bigint' },
  {
    rest: `on conflict (key) do update set likes = view_count.likes + excluded.likes,
      recasts = view_count.recasts + excluded.recasts,
      replies = view_count.replies + excluded.replies,
      quotes = view_count.quotes + excluded.quotes`,
  },
)
const DROP_NO_COUNTS = listStatement(
  { key: 'bytea' },
  `delete from view_count where key in (select key from input)
     and likes = 0 and recasts = 0 and replies = 0 and quotes = 0`,
)
const ADD_USER_COUNTS = insertStatement(
  'view_user',
  { fid: 'bigint', followers: 'bigint', following: 'bigint' },
  {
    rest: `on conflict (fid) do update set followers = view_user.followers + excluded.followers,
      following = view_user.following + excluded.following`,
  },
)
const DROP_NO_USERS = listStatement(
  { fid: 'bigint' },
  `delete from view_user where fid in (select fid from input)
     and profile is null and followers = 0 and following = 0`,
)
const PUT_PROFILES = insertStatement(
  'view_user',
  { fid: 'bigint', name: 'text', card: 'text', profile: 'text' },
  {
    also: { followers: 0, following: 0 },
    rest: `on conflict (fid) do update set name = excluded.name, card = excluded.card,
      profile = excluded.profile`,
  },
)
const QUOTES_OF = listStatement(
  { doc: 'bigint' },
  'select q.key, q.doc from input i join view_quote q on q.doc = i.doc',
)
const ADDITIONS_ASIDE = listStatement(
  { id: 'bigint' },
  `select a.part, a.id from input i join view_aside a on a.id = i.id
    where a.part in ('added', 'event')`,
)
const FOLLOWS_BEFORE = `select fid, target, at, id from view_follow
  where fid = ? and at <= ? and id < ?`

const REMOVE_LOST_PLACES = `delete from view_place where not exists
  (select 1 from view_post p where p.place = view_place.id and p.place is not null)`

type Profile = Pick<ViewUser, 'fid' | 'name' | 'card' | 'profile'>
type Tables = Pick<Engine, 'dialect' | 'words'>

export type ViewWriter = ReturnType<typeof viewWriter>

export const viewWriter = (sql: Sql, tables: Tables) => ({
  ...viewReader(sql),
  ...stateWriter(sql, tables),
  ...postWriter(sql),
  ...countWriter(sql),
  ...userWriter(sql, tables),
  ...noticeWriter(sql),
  ...wordWriter(sql, tables),
  ...listWriter(sql),
  ...deliveryWriter(sql),
})

const stateWriter = (sql: Sql, tables: Tables) => ({
  putState: (name: string, value: string) => VIEW_STATES.upsert(sql, [{ name, value }]),
  putPosition: (position: ViewPosition) =>
    VIEW_STATES.upsert(sql, [{ name: POSITION, value: JSON.stringify(position) }]),
  empty: () => emptyViews(sql, tables),
  putSetAside: (rows: readonly SetAside[]) => VIEW_SET_ASIDE.upsert(sql, rows),
  removeSetAside: (keys: readonly Pick<SetAside, 'part' | 'id'>[]) =>
    VIEW_SET_ASIDE.remove(
      sql,
      keys.map(({ part, id }) => ({ part, id })),
    ),
  countSetAside: () => VIEW_SET_ASIDE.count(sql),
  /** The messages among these whose additions are set aside. */
  additionsSetAside: (ids: readonly number[]): Promise<Pick<SetAside, 'part' | 'id'>[]> =>
    queryEach(sql, ADDITIONS_ASIDE, rowsWith('id', ids)),
  /** The first one that another version of the program has set aside. */
  setAsideByOthers: (version: string) =>
    VIEW_SET_ASIDE.first(sql, 'where version <> ? order by part, id limit 1', [version]),
})

const postWriter = (sql: Sql) => ({
  /** The greatest doc from `first` on and below `next`, by `first`; null when there is none. */
  newestDocs: (
    ranges: readonly { first: number; next: number }[],
  ): Promise<{ first: number; doc: number | null }[]> => queryEach(sql, NEWEST_DOCS, ranges),
  /** The recasts with these message ids, by their author and a doc that is not above theirs. */
  recasts: (
    rows: readonly { fid: number; first: number; id: number }[],
  ): Promise<Pick<ViewPost, 'doc' | 'id'>[]> => queryEach(sql, RECASTS, rows),
  insertPosts: (posts: readonly ViewPost[]) => VIEW_POSTS.insert(sql, posts),
  removePosts: (docs: readonly number[]) => VIEW_POSTS.removeBy(sql, 'doc', docs),
  /** Those of the casts that have stored replies. */
  replied: (keys: readonly Uint8Array[]): Promise<{ key: Uint8Array }[]> =>
    queryEach(sql, REPLIED, rowsWith('key', keys)),
  /**
   * Makes each direct reply to these casts, which are gone, the root of its own thread. In two statements: SQLite
   * would read all posts for an update from a recursion.
   */
  async splitThreads(keys: readonly Uint8Array[]): Promise<void> {
    const moved: { doc: number; root: number }[] = await queryEach(
      sql,
      BELOW,
      rowsWith('key', keys),
    )
    await queryEach(sql, MOVE_TO_ROOTS, moved)
  },
  /** Gives everything below these casts their root and place. One statement for each cast, in order. */
  async joinThreads(keys: readonly Uint8Array[]): Promise<void> {
    for (const key of keys) await sql.all(JOIN_THREAD, [key, key, key])
  },
  places: (targets: readonly Uint8Array[]) => VIEW_PLACES.findBy(sql, 'target', targets),
  newestPlace: () => VIEW_PLACES.max(sql, 'id'),
  insertPlaces: (places: readonly ViewPlace[]) => VIEW_PLACES.insert(sql, places),
  /** Deletes places in which no post is left. Looks at every place: for erasures. */
  async removeLostPlaces(): Promise<void> {
    await sql.all(REMOVE_LOST_PLACES)
    await sql.all('delete from view_activity where place not in (select id from view_place)')
  },
})

const countWriter = (sql: Sql) => ({
  /** Adds to counts. Keys must be distinct. */
  async addCounts(counts: readonly ViewCount[]): Promise<void> {
    await queryEach(sql, ADD_COUNTS, counts)
    const lowered = counts.filter(
      ({ likes, recasts, replies, quotes }) => Math.min(likes, recasts, replies, quotes) < 0,
    )
    const keys = lowered.map(({ key }) => ({ key }))
    await queryEach(sql, DROP_NO_COUNTS, keys)
  },
  insertQuotes: (quotes: readonly ViewQuote[]) => VIEW_QUOTES.insert(sql, quotes),
  removeQuotes: (quotes: readonly ViewQuote[]) => VIEW_QUOTES.remove(sql, quotes),
  /** The quotes in these posts. Looks at every quote: for the few posts whose content is gone. */
  quotesOf: (docs: readonly number[]): Promise<ViewQuote[]> =>
    queryEach(sql, QUOTES_OF, rowsWith('doc', docs)),
})

const userWriter = (sql: Sql, { words }: Tables) => ({
  insertFollows: (follows: readonly ViewFollow[]) => VIEW_FOLLOWS.insert(sql, follows),
  removeFollows: (follows: readonly Pick<ViewFollow, 'fid' | 'target'>[]) =>
    VIEW_FOLLOWS.remove(
      sql,
      follows.map(({ fid, target }) => ({ fid, target })),
    ),
  /** The follows of a fid up to a time (network seconds), of messages with smaller ids. */
  followsBefore: (fid: number, at: number, id: number): Promise<ViewFollow[]> =>
    query(sql, FOLLOWS_BEFORE, [fid, at, id]),
  /** Adds to the counts of users. Fids must be distinct. */
  async addUserCounts(
    counts: readonly Pick<ViewUser, 'fid' | 'followers' | 'following'>[],
  ): Promise<void> {
    await queryEach(sql, ADD_USER_COUNTS, counts)
    const lowered = counts.filter(({ followers, following }) => Math.min(followers, following) < 0)
    const fids = lowered.map(({ fid }) => ({ fid }))
    await queryEach(sql, DROP_NO_USERS, fids)
  },
  /** Stores rendered profiles with their words. Fids must be distinct. */
  async putProfiles(profiles: readonly (Profile & { words: Tokens })[]): Promise<void> {
    const rows = profiles.map(({ fid, name, card, profile }) => ({ fid, name, card, profile }))
    await queryEach(sql, PUT_PROFILES, rows)
    const keys = profiles.map(({ fid }) => ({ key: fid }))
    await queryEach(sql, words.remove.view_user_words, keys)
    const tokens = profiles
      .filter((one) => one.words.length > 0)
      .map((one) => ({ key: one.fid, words: one.words.join(' ') }))
    await queryEach(sql, words.insert.view_user_words, tokens)
    const empty = rows.filter(({ profile }) => profile === null).map(({ fid }) => ({ fid }))
    await queryEach(sql, DROP_NO_USERS, empty)
  },
})

const noticeWriter = (sql: Sql) => ({
  insertNotices: (notices: readonly ViewNotice[]) => VIEW_NOTICES.insert(sql, notices),
  /** Deletes the notices that messages have made. */
  removeNoticesOf: (ids: readonly number[]) => VIEW_NOTICES.removeBy(sql, 'id', ids),
  /** Deletes notices of before a time (network seconds), at most `limit`. Returns the number deleted. */
  async pruneNotices(beforeAt: number, limit: number): Promise<number> {
    const rows = await sql.all(
      `delete from view_notice where (fid, at, id) in
         (select fid, at, id from view_notice where at < ? limit (? + 0)) returning id`,
      [beforeAt, limit],
    )
    return rows.length
  },
})

const wordWriter = (sql: Sql, { words }: Tables) => ({
  /** In the order of their docs: FTS5 writes what it has gathered whenever a row is before the one that came last. */
  insertWords: (rows: readonly { readonly doc: number; readonly words: string }[]) =>
    queryEach(
      sql,
      words.insert.view_words,
      rows
        .toSorted((a, b) => a.doc - b.doc)
        .map(({ doc, words: tokens }) => ({ key: doc, words: tokens })),
    ),
  removeWords: (docs: readonly number[]) =>
    queryEach(sql, words.remove.view_words, rowsWith('key', docs)),
  mergeWords: (table: WordTable, begins: boolean) => words.merge(sql, table, begins),
})

const listWriter = (sql: Sql) => ({
  /** Writes ranked lists as the next generation and deletes all but the newest `kept` ones. */
  async putTrends(rows: readonly Omit<ViewTrend, 'generation'>[], kept: number): Promise<void> {
    const generation = (await VIEW_TRENDS.max(sql, 'generation')) + 1
    await VIEW_TRENDS.insert(
      sql,
      rows.map((row) => ({ ...row, generation })),
    )
    await VIEW_TRENDS.removeWhere(sql, 'generation <= ?', [generation - kept])
  },
  /** Replaces the activity of all places. */
  async putActivity(rows: readonly ViewActivity[]): Promise<void> {
    await VIEW_ACTIVITIES.removeWhere(sql, 'place >= ?', [0])
    await VIEW_ACTIVITIES.insert(sql, rows)
  },
})

/** Deliveries that are held in memory while they are changed. */
const CHANGED_TOGETHER = 500

const deliveryWriter = (sql: Sql) => ({
  insertDeliveries: (rows: readonly ViewDelivery[]) => VIEW_DELIVERIES.insert(sql, rows),
  removeDeliveries: (keys: readonly Pick<ViewDelivery, 'webhook' | 'event' | 'n'>[]) =>
    VIEW_DELIVERIES.remove(sql, keys),
  /** Changes the subjects of deliveries of events up to this one that begin like this. Returns the number changed. */
  async changeSubjects(
    start: string,
    upTo: number,
    change: (subject: string) => string,
  ): Promise<number> {
    let count = 0
    for (let last: ViewDelivery | undefined; ; ) {
      const rows = await VIEW_DELIVERIES.select(
        sql,
        `where event <= ? and subject like ? and (webhook, event, n) > (?, ?, ?)
           order by webhook, event, n limit (? + 0)`,
        [upTo, `${start}%`, last?.webhook ?? '', last?.event ?? 0, last?.n ?? 0, CHANGED_TOGETHER],
      )
      await VIEW_DELIVERIES.update(
        sql,
        ['subject'],
        rows.map((row) => ({ ...row, subject: change(row.subject) })),
      )
      count += rows.length
      if (rows.length < CHANGED_TOGETHER) return count
      last = rows.at(-1)
    }
  },
  dropDeliveries: (webhook: string) => VIEW_DELIVERIES.removeBy(sql, 'webhook', [webhook]),
  postponeDelivery: (row: Omit<ViewDelivery, 'type' | 'subject'>) =>
    VIEW_DELIVERIES.update(sql, ['attempts', 'due'], [row]),
})
