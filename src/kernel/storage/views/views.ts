import type { Sql } from '../engines/sql.ts'
import { KEPT, NOT_EXPORTED } from '../tables/duties.ts'
import { countOf, query, type RowOf, table } from '../tables/table.ts'

// The views: tables derived from the hub's event log, which can be rebuilt from it and from the stored messages
// at any time. On SQLite they are a file of their own, which the reading connection attaches, so a statement
// may join them with the tables of the store; on PostgreSQL they are in the same database. Only the views'
// thread writes them. view-schema.ts creates them.
//
// A `key` names a cast: its author's fid (4 bytes, big-endian) and its hash (20 bytes). A `doc` numbers a cast or
// recast in the order of time: timestamp (network seconds) x DOCS_PER_SECOND + n.

/** Docs of one second. */
export const DOCS_PER_SECOND = 2 ** 21

/** The smallest doc of a second; larger than every doc of the seconds before. */
export const firstDocAt = (networkSeconds: number): number => networkSeconds * DOCS_PER_SECOND

/** The second (network seconds) of a doc. */
export const secondOfDoc = (doc: number): number => Math.floor(doc / DOCS_PER_SECOND)

/** Kinds of posts. Statements on the indexes by author must say `kind <> 2` literally. */
export const POST_KINDS = { cast: 1, reply: 2, recast: 3 } as const

/** Named values as JSON: the `position` in the event log and the `lease`. */
export const VIEW_STATES = table('view_state', {
  name: { type: 'line', words: false, key: true },
  value: { type: 'text', words: false },
})

/** Top-level casts, replies to casts, and recasts. */
export const VIEW_POSTS = table('view_post', {
  doc: { type: 'integer', key: true },
  /** Of the message. */
  id: { type: 'integer' },
  fid: { type: 'fid', erasure: { by: 'views' }, exported: NOT_EXPORTED.derived },
  /** See POST_KINDS. */
  kind: { type: 'integer' },
  /** The cast itself; null for recasts. */
  key: { type: 'bytes', null: true },
  /** Of a reply the key of its parent, of a recast the key of the cast; null for top-level casts. */
  target: { type: 'bytes', null: true },
  /** The doc of the thread's root, its own where no parent is stored; null for recasts. */
  root: { type: 'integer', null: true },
  /** The `view_place` of the root's parent url; null without one and for recasts. */
  place: { type: 'integer', null: true },
})
export type ViewPost = RowOf<typeof VIEW_POSTS>

/** Parent urls of top-level casts. Rows are never removed. */
export const VIEW_PLACES = table('view_place', {
  id: { type: 'integer', key: true },
  /** `urlTargetKey` of the url; unique. */
  target: { type: 'bytes' },
  url: { type: 'text', words: false },
})
export type ViewPlace = RowOf<typeof VIEW_PLACES>

/** Counts by cast, whether the cast is stored or not. Casts that have none have no row. */
export const VIEW_COUNTS = table('view_count', {
  key: { type: 'bytes', key: true },
  likes: { type: 'integer' },
  recasts: { type: 'integer' },
  /** Direct replies. */
  replies: { type: 'integer' },
  quotes: { type: 'integer' },
})
export type ViewCount = RowOf<typeof VIEW_COUNTS>

/** Which posts (`doc`) embed which cast (`key`). */
export const VIEW_QUOTES = table('view_quote', {
  key: { type: 'bytes', key: true },
  doc: { type: 'integer', key: true },
})
export type ViewQuote = RowOf<typeof VIEW_QUOTES>

/** Links of type `follow`. */
export const VIEW_FOLLOWS = table('view_follow', {
  fid: { type: 'fid', erasure: { by: 'views' }, exported: NOT_EXPORTED.derived, key: true },
  target: { type: 'fid', erasure: KEPT.others, exported: NOT_EXPORTED.others, key: true },
  /** Network seconds. */
  at: { type: 'integer' },
  /** Of the message. */
  id: { type: 'integer' },
})
export type ViewFollow = RowOf<typeof VIEW_FOLLOWS>

/**
 * Registered users, and fids that follow or are followed. `card` and `profile` are members of a JSON object
 * without its braces, both null until the fid was rendered:
 * card `"username":..,"display_name":..,"pfp_url":..`, profile `"registered_at":..,"profile":{..},
 * "verifications":[..],"auth_addresses":[],"verified_addresses":{..},"verified_accounts":[..]`.
 */
export const VIEW_USERS = table('view_user', {
  fid: { type: 'fid', erasure: { by: 'views' }, exported: NOT_EXPORTED.derived, key: true },
  /** The username of the profile in lower case. */
  name: { type: 'line', words: true, null: true },
  card: { type: 'text', words: true, null: true },
  profile: { type: 'text', words: true, null: true },
  followers: { type: 'integer' },
  following: { type: 'integer' },
})
export type ViewUser = RowOf<typeof VIEW_USERS>

/** Notifications of users. */
export const VIEW_NOTICES = table('view_notice', {
  /** Who is notified. */
  fid: { type: 'fid', erasure: { by: 'views' }, exported: NOT_EXPORTED.derived, key: true },
  /** Network seconds of the message. */
  at: { type: 'integer', key: true },
  /** Of the message. */
  id: { type: 'integer', key: true },
  /** Its number: see NOTICE_KINDS. */
  kind: { type: 'integer' },
  /** Author of the message. */
  actor: { type: 'fid', erasure: { by: 'views' }, exported: NOT_EXPORTED.derived },
  /** The cast that replies, quotes or mentions, or that was liked or recast; null for follows. */
  key: { type: 'bytes', null: true },
})
export type ViewNotice = RowOf<typeof VIEW_NOTICES>

/** Ranked lists, written whole as a generation. */
export const VIEW_TRENDS = table('view_trend', {
  generation: { type: 'integer', key: true },
  /** For instance `24h`. */
  list: { type: 'line', words: false, key: true },
  rank: { type: 'integer', key: true },
  doc: { type: 'integer' },
  /** Millionths of a point. */
  score: { type: 'integer' },
})
export type ViewTrend = RowOf<typeof VIEW_TRENDS>

/** Casts of the last days by the place of their thread, for the list of trending channels. */
export const VIEW_ACTIVITIES = table('view_activity', {
  place: { type: 'integer', key: true },
  casts_1d: { type: 'integer' },
  casts_7d: { type: 'integer' },
  casts_30d: { type: 'integer' },
})
export type ViewActivity = RowOf<typeof VIEW_ACTIVITIES>

/** Unsent webhook deliveries. A rebuild keeps these rows. */
export const VIEW_DELIVERIES = table('view_delivery', {
  webhook: { type: 'line', words: false, key: true },
  /** Id of the event. */
  event: { type: 'integer', key: true },
  /** Number of the delivery among those of this event for this webhook. */
  n: { type: 'integer', key: true },
  /** For instance `cast.created`. */
  type: { type: 'line', words: false },
  /** The input of the payload, as JSON. */
  subject: { type: 'text', words: false },
  attempts: { type: 'integer' },
  /** Unix milliseconds of the next attempt. */
  due: { type: 'millis' },
})
export type ViewDelivery = RowOf<typeof VIEW_DELIVERIES>

/**
 * A part of an event: the message that it `added`, the one that it `removed`, what `webhooks` are told, or all of the `event`;
 * or a `profile`.
 */
export const EVENT_PARTS = ['added', 'removed', 'profile', 'webhooks', 'event'] as const
export type EventPart = (typeof EVENT_PARTS)[number]

/** Parts of events that failed. A newer version of the program tries them again; a rebuild empties the table. */
export const VIEW_SET_ASIDE = table('view_aside', {
  part: { type: 'line', key: true, values: EVENT_PARTS },
  /** Of the event, and of the message that it added; of a profile the fid. */
  id: { type: 'integer', key: true },
  /** The error, in one line. */
  reason: { type: 'text', words: false },
  /** The version of the program that set it aside. */
  version: { type: 'line', words: false },
  at: { type: 'millis' },
})
export type SetAside = RowOf<typeof VIEW_SET_ASIDE>

/** Every declared view. A test compares them with what view-schema.ts creates. */
export const VIEW_TABLES = [
  VIEW_STATES,
  VIEW_POSTS,
  VIEW_PLACES,
  VIEW_COUNTS,
  VIEW_QUOTES,
  VIEW_FOLLOWS,
  VIEW_USERS,
  VIEW_NOTICES,
  VIEW_TRENDS,
  VIEW_ACTIVITIES,
  VIEW_DELIVERIES,
  VIEW_SET_ASIDE,
] as const

/** How far the views are; the value of the state `position`. */
export type ViewPosition = {
  /** Events up to this id are applied. */
  readonly cursor: number
  /** Start of the event log when they were built: another one means other data. */
  readonly logStart: number
  /** Present during a build. */
  readonly build?: ViewBuild
  /** Parts of events that are set aside; 0 unless given. */
  readonly setAside?: number
  /** How many builds have begun before the last one; 0 unless given. A standby that has another number has other views. */
  readonly earlierBuilds?: number
}

/** How far a build is. */
export type ViewBuild = {
  /** Stored messages up to this id are applied. */
  readonly scanned: number
  /** How many those were. */
  readonly messages: number
  /** Once all messages are: profiles of fids up to this one are rendered. */
  readonly rendered?: number
}

/** Name of the state that holds a ViewPosition. */
export const POSITION = 'position'

/** A cast with its counts. */
export type CountedCast = Pick<ViewPost, 'doc' | 'fid'> &
  Omit<ViewCount, 'key'> & { readonly key: Uint8Array }

/** Places whose activity is kept; the most that channels could have. */
const MAX_ACTIVE_PLACES = 100_000

const stateReader = (sql: Sql) => ({
  async state(name: string): Promise<string | undefined> {
    return (await VIEW_STATES.find(sql, name))?.value
  },
  /** Undefined before the first build. */
  async position(): Promise<ViewPosition | undefined> {
    const row = await VIEW_STATES.find(sql, POSITION)
    return row && JSON.parse(row.value)
  },
  /** The newest first. */
  setAside: (limit: number) =>
    VIEW_SET_ASIDE.select(sql, 'order by at desc, part, id limit (? + 0)', [limit]),
})

const postReader = (sql: Sql) => ({
  /** The rows of these posts, in no order. */
  posts: (docs: readonly number[]) => VIEW_POSTS.findBy(sql, 'doc', docs),
  /** The posts of these casts, in no order; casts that are not stored are missing. */
  postsByKeys: (keys: readonly Uint8Array[]) => VIEW_POSTS.findBy(sql, 'key', keys),
  placesByIds: (ids: readonly number[]) => VIEW_PLACES.findBy(sql, 'id', ids),
  counts: (keys: readonly Uint8Array[]) => VIEW_COUNTS.findBy(sql, 'key', keys),
  users: (fids: readonly number[]) => VIEW_USERS.findBy(sql, 'fid', fids),
  /** The casts without parents from a doc on that have counts, newest first, with their authors. */
  countedCasts: (fromDoc: number, limit: number) =>
    query<CountedCast>(
      sql,
      `select p.doc, p.fid, p.key, c.likes, c.recasts, c.replies, c.quotes
         from view_post p join view_count c on c.key = p.key
        where p.doc >= ? and p.kind <> 2 and p.kind = 1 order by p.doc desc limit (? + 0)`,
      [fromDoc, limit],
    ),
  /** Casts from a doc on that are in a place, counted by place and by how long ago they are. */
  placeActivity: ({ day, week, month }: { day: number; week: number; month: number }) =>
    query<ViewActivity>(
      sql,
      `select place, sum(case when doc >= ? then 1 else 0 end) as casts_1d,
         sum(case when doc >= ? then 1 else 0 end) as casts_7d, count(*) as casts_30d
         from view_post where place is not null and doc >= ? group by place order by place limit (? + 0)`,
      [day, week, month, MAX_ACTIVE_PLACES],
    ),
})

const listReader = (sql: Sql) => ({
  /** The newest generation of ranked lists; 0 before the first one. */
  trendGeneration: () => VIEW_TRENDS.max(sql, 'generation'),
  /** A part of a ranked list, from the rank after `afterRank` on. */
  trend: (generation: number, list: string, afterRank: number, limit: number) =>
    VIEW_TRENDS.select(
      sql,
      'where generation = ? and list = ? and rank > ? order by rank limit (? + 0)',
      [generation, list, afterRank, limit],
    ),
  activity: (places: readonly number[]) => VIEW_ACTIVITIES.findBy(sql, 'place', places),
  /** The newest notices of a fid. */
  notices: (fid: number, limit: number) =>
    VIEW_NOTICES.select(sql, 'where fid = ? order by at desc, id desc limit (? + 0)', [fid, limit]),
})

const deliveryReader = (sql: Sql) => ({
  /** The first waiting delivery of each webhook, by (event, n). */
  async firstDeliveries(): Promise<ViewDelivery[]> {
    const rows: ViewDelivery[] = []
    for (let webhook = ''; ; ) {
      const row = await VIEW_DELIVERIES.first(
        sql,
        'where webhook > ? order by webhook, event, n limit 1',
        [webhook],
      )
      if (!row) return rows
      rows.push(row)
      webhook = row.webhook
    }
  },
  /** The first waiting delivery of a webhook. */
  firstDelivery: (webhook: string) =>
    VIEW_DELIVERIES.first(sql, 'where webhook = ? order by event, n limit 1', [webhook]),
  /** How many deliveries wait for a webhook, counted up to `limit`. */
  deliveryCount: (webhook: string, limit: number) =>
    countOf(
      sql,
      'select count(*) as n from (select 1 from view_delivery where webhook = ? limit (? + 0)) waiting',
      [webhook, limit],
    ),
})

export const viewReader = (sql: Sql) => ({
  ...stateReader(sql),
  ...postReader(sql),
  ...listReader(sql),
  ...deliveryReader(sql),
})
