import { toHex } from '../../protocol/codec/bytes.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import { listStatement, type Row, type Sql } from '../engines/sql.ts'
import {
  castValues,
  hasHash,
  IS_CAST,
  PACKED_MESSAGE,
  type StoredMessage,
  unpackMessage,
} from '../messages/messages.ts'
import { queryEach, rowsWith } from '../tables/table.ts'
import { IS_PUBLISHED, isPublishedFid } from './published.ts'
import { type Shown, type Viewer, viewerRow } from './shown.ts'

// Casts and users with their counts: the store joined with the views.

/** A stored cast with its counts and its thread. */
export type FoundCast = {
  readonly key: Uint8Array
  readonly doc: number
  readonly message: StoredMessage
  readonly likes: number
  readonly recasts: number
  readonly replies: number
  readonly quotes: number
  /** The parent url of the thread's root, where it is known. */
  readonly rootUrl: string | null
  /** The key of the thread's root, and of the cast that the root replies to, which is not stored. */
  readonly rootKey: Uint8Array | null
  readonly rootTarget: Uint8Array | null
}

const CASTS = listStatement(
  { key: 'bytea' },
  `select ${PACKED_MESSAGE}, p.doc, p.key, coalesce(c.likes, 0) as likes,
          coalesce(c.recasts, 0) as recasts, coalesce(c.replies, 0) as replies,
          coalesce(c.quotes, 0) as quotes, l.url as root_url, r.key as root_key,
          r.target as root_target
     from input i join view_post p on p.key = i.key join stored_message m on m.id = p.id
     left join view_count c on c.key = p.key
     left join view_place l on l.id = p.place
     left join view_post r on r.doc = p.root
    where true ${IS_PUBLISHED}`,
)

/** A registered user; `card` and `profile` are null until they were rendered. */
export type FoundUser = {
  readonly fid: number
  readonly custody: Uint8Array
  readonly card: string | null
  readonly profile: string | null
  readonly followers: number
  readonly following: number
}

const USERS = listStatement(
  { fid: 'bigint' },
  `select i.fid, c.address as custody, u.card, u.profile, coalesce(u.followers, 0) as followers,
          coalesce(u.following, 0) as following
     from input i join custody c on c.fid = i.fid left join view_user u on u.fid = i.fid
    where ${isPublishedFid('i.fid')}`,
)

/** How a viewer and a user stand to each other; each is 1 or 0. */
export type Relation = {
  readonly fid: number
  readonly following: number
  readonly followed_by: number
  readonly blocking: number
  readonly blocked_by: number
}

const exists = (text: string) => `case when (${text}) is null then 0 else 1 end`
const RELATIONS = listStatement(
  { viewer: 'bigint', fid: 'bigint' },
  `select i.fid,
     ${exists('select 1 from view_follow f where f.fid = i.viewer and f.target = i.fid')} as following,
     ${exists('select 1 from view_follow f where f.fid = i.fid and f.target = i.viewer')} as followed_by,
     ${exists('select 1 from block k where k.blocker = i.viewer and k.blocked = i.fid')} as blocking,
     ${exists('select 1 from block k where k.blocker = i.fid and k.blocked = i.viewer')} as blocked_by
   from input i`,
)

/** The slots of messages that are in force: no remove is among them. */
const ADDED_SLOTS = listStatement(
  { slot: 'bytea', type: 'bigint' },
  'select i.slot from input i join message m on m.slot = i.slot and m.type = i.type',
)

/** A cast of an author by the beginning of its hash. */
const CAST_OF_PREFIX = `select substr(m.slot, 2) as key from message m
  where m.slot >= ? and m.slot <= ? and m.type = ${MessageType.CAST_ADD} order by m.slot limit 2`
const KEYS = listStatement(
  { hash: 'bytea' },
  `select substr(m.slot, 2) as key, m.hash from input i
     join message m on ${hasHash('i.hash')}`,
)
const CAST_OF_HASH = `select substr(m.slot, 2) as key from message m where ${IS_CAST} limit 2`

const FIDS_OF_TARGETS = listStatement(
  { target: 'bytea' },
  `select m.fid, m.target from input i join message m on m.target = i.target where true ${IS_PUBLISHED}`,
)

const castReader = (sql: Sql) => ({
  /** The casts with these keys, in no order; those that are not stored or not published are missing. */
  casts: async (keys: readonly Uint8Array[]): Promise<FoundCast[]> =>
    (await queryEach<Row, typeof CASTS.columns>(sql, CASTS, rowsWith('key', keys))).map(foundCast),
  /** Those of the slots that hold a message of their type. */
  async addedSlots(slots: readonly { slot: Uint8Array; type: number }[]): Promise<Uint8Array[]> {
    const rows: { slot: Uint8Array }[] = await queryEach(sql, ADDED_SLOTS, slots)
    return rows.map(({ slot }) => slot)
  },
  /** The keys of at most two casts whose slots are between these two. */
  async castKeysBetween(first: Uint8Array, last: Uint8Array): Promise<Uint8Array[]> {
    return (await sql.all(CAST_OF_PREFIX, [first, last])).map((row) => row.key as Uint8Array)
  },
  /** The keys of the casts with these hashes, in their order; casts that are not stored are missing. */
  async castKeysOfHashes(hashes: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const rows: { key: Uint8Array; hash: Uint8Array }[] = await queryEach(
      sql,
      KEYS,
      rowsWith('hash', hashes),
    )
    const keys = new Map(rows.map(({ key, hash }) => [toHex(hash), key]))
    return [...new Set(hashes.map(toHex))].flatMap((hash) => keys.get(hash) ?? [])
  },
  /** The keys of at most two casts with this hash. */
  async castKeysOfHash(hash: Uint8Array): Promise<Uint8Array[]> {
    return (await sql.all(CAST_OF_HASH, castValues(hash))).map((row) => row.key as Uint8Array)
  },
})

const userReader = (sql: Sql) => ({
  /** The registered, published users among these, in no order. */
  users: (fids: readonly number[]): Promise<FoundUser[]> =>
    queryEach(sql, USERS, rowsWith('fid', fids)),
  relations: (viewer: number, fids: readonly number[]): Promise<Relation[]> =>
    queryEach(
      sql,
      RELATIONS,
      fids.map((fid) => ({ viewer, fid })),
    ),
  /** The authors of published adds with these targets. */
  fidsByTargets: (targets: readonly Uint8Array[]): Promise<{ fid: number; target: Uint8Array }[]> =>
    queryEach(sql, FIDS_OF_TARGETS, rowsWith('target', targets)),
  /** The smallest fid whose profile has this username, in lower case. */
  async fidByName(name: string): Promise<number | undefined> {
    const text = 'select min(fid) as fid from view_user where name = ?'
    const [row] = await sql.all(text, [name])
    return (row?.fid as number | null) ?? undefined
  },
})

function shownReader(sql: Sql, shown: Shown) {
  const among = (condition: string) => {
    const statement = listStatement(
      { app: 'text', viewer: 'bigint', fid: 'bigint' },
      `select i.fid from input i where ${condition}`,
    )
    return async (viewer: Viewer, fids: readonly number[]): Promise<Set<number>> => {
      const rows = [...new Set(fids)].map((fid) => ({ ...viewerRow(viewer), fid }))
      const found: { fid: number }[] = await queryEach(sql, statement, rows)
      return new Set(found.map(({ fid }) => fid))
    }
  }
  return {
    /** Those of the fids that are not hidden from the viewer, nor by moderation. */
    shownAmong: among(shown.inList('i.fid')),
    /** The same where strangers are shown. */
    recommendedAmong: among(`${shown.inList('i.fid')} and ${shown.toStrangersInList('i.fid')}`),
  }
}

export const appCastReader = (sql: Sql, shown: Shown) => ({
  ...castReader(sql),
  ...userReader(sql),
  ...shownReader(sql, shown),
})

const foundCast = (row: Row): FoundCast => ({
  key: row.key as Uint8Array,
  doc: row.doc as number,
  message: unpackMessage(row),
  likes: row.likes as number,
  recasts: row.recasts as number,
  replies: row.replies as number,
  quotes: row.quotes as number,
  rootUrl: row.root_url as string | null,
  rootKey: row.root_key as Uint8Array | null,
  rootTarget: row.root_target as Uint8Array | null,
})
