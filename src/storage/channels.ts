import { castSlot } from '../protocol/slots.ts'
import { type NewestFirst, readNewestFirst } from './newest-first.ts'
import { listStatement, type Row, type Sql, type SqlValue } from './sql.ts'

/** A channel as it lies in the store. */
export type StoredChannel = {
  readonly id: string
  /** The parent url of casts in the channel. */
  readonly url: string
  /** The target of casts with that parent. */
  readonly cast_target: Uint8Array
  readonly name: string
  readonly description: string
  readonly image_url: string
  readonly header_image_url: string | null
  readonly link_title: string | null
  readonly link_url: string | null
  readonly lead_fid: number | null
  /** The one moderator of earlier days, beside those that the owner appointed. */
  readonly moderator_fid: number | null
  /** Fids in decimal, comma separated; empty for none. */
  readonly moderator_fids: string
  /** 1: everybody may cast; 0: members only. */
  readonly public_casting: number
  readonly pinned_hash: Uint8Array | null
  /** Unix seconds. */
  readonly created_at: number
  /** The user whose number of channels it counts in. */
  readonly created_by: number | null
  readonly follower_count: number
  readonly member_count: number
  /** Grows with every change of any channel. */
  readonly version: number
}

/** What is written as it is; the counts go by `count`. */
export type ChannelText = Omit<StoredChannel, 'follower_count' | 'member_count' | 'version'>

export type Follow = {
  readonly channel_id: string
  readonly fid: number
  readonly followed_at: number
}
export type MembershipStatus = 'member' | 'restricted' | 'banned'
export type Membership = {
  readonly channel_id: string
  readonly fid: number
  readonly standing: MembershipStatus
  readonly since: number
}
export type InviteRole = 'member' | 'moderator'
export type Invite = {
  readonly channel_id: string
  readonly invited_fid: number
  readonly inviter_fid: number
  readonly role: InviteRole
  readonly invited_at: number
}
export type ModerationAction = 'hide' | 'unhide'
export type Moderation = {
  readonly id: number
  readonly channel_id: string
  readonly cast_hash: Uint8Array
  readonly action: ModerationAction
  readonly moderated_at: number
  readonly by_fid: number
}

/** The sort key of the row before the page. */
export type After = readonly SqlValue[] | undefined
type Whose = { readonly channelId?: string | undefined; readonly fid?: number | undefined }

export interface ChannelReader {
  byId(id: string): Promise<StoredChannel | undefined>
  /** Those that have one of the ids or one of the urls. */
  byIdsOrUrls(keys: readonly { id: string; url: string }[]): Promise<StoredChannel[]>
  /** By (version, id), after a position in that order. */
  changedAfter(version: number, id: string, limit: number): Promise<StoredChannel[]>
  /** By id. */
  list(afterId: string, limit: number): Promise<StoredChannel[]>
  createdBy(fid: number): Promise<number>
  /** The channel whose pin the cast is. */
  pinning(castHash: Uint8Array): Promise<StoredChannel | undefined>
  /** The channel that a cast is in by its own parent url or that of a cast it answers, so many steps up. */
  ofCast(fid: number, hash: Uint8Array, maxSteps: number): Promise<StoredChannel | undefined>

  follow(channelId: string, fid: number): Promise<Follow | undefined>
  /** By (followed_at desc, fid). */
  followers(channelId: string, after: After, limit: number): Promise<Follow[]>
  /** The channels that a fid follows, by (followed_at desc, channel_id). */
  followedBy(
    fid: number,
    after: After,
    limit: number,
  ): Promise<(StoredChannel & { readonly followed_at: number })[]>
  /** By (channel_id, fid). */
  listFollows(after: After, limit: number): Promise<Follow[]>

  membership(channelId: string, fid: number): Promise<Membership | undefined>
  membershipsOf(pairs: readonly Pick<Membership, 'channel_id' | 'fid'>[]): Promise<Membership[]>
  /** By (since desc, channel_id, fid). */
  memberships(
    standing: MembershipStatus,
    whose: Whose,
    after: After,
    limit: number,
  ): Promise<Membership[]>
  /** By (channel_id, fid). */
  listMemberships(after: After, limit: number): Promise<Membership[]>

  invite(channelId: string, invitedFid: number): Promise<Invite | undefined>
  /** By (invited_at desc, channel_id, invited_fid). */
  invites(whose: Whose, after: After, limit: number): Promise<Invite[]>
  moderatorInvites(channelId: string): Promise<number>

  latestModeration(channelId: string, castHash: Uint8Array): Promise<Moderation | undefined>
  /** By (moderated_at desc, id desc). */
  moderations(channelId: string | undefined, after: After, limit: number): Promise<Moderation[]>

  isReserved(id: string): Promise<boolean>
  /** By id. */
  reserved(afterId: string, limit: number): Promise<string[]>
}

export type CountChange = {
  readonly id: string
  readonly followers?: number
  readonly members?: number
}

export interface ChannelWriter extends ChannelReader {
  /** Stores channels, new or known by their ids, under a version. */
  put(channels: readonly ChannelText[], version: number): Promise<void>
  /** Adds to the counts of channels, each once in the list. */
  count(changes: readonly CountChange[], version: number): Promise<void>
  /** Those that were new; the others stay as they are. */
  addFollows(follows: readonly Follow[]): Promise<Follow[]>
  setFollowedAt(follows: readonly Follow[]): Promise<void>
  /** Whether there was one. */
  removeFollow(channelId: string, fid: number): Promise<boolean>
  putMemberships(rows: readonly Membership[]): Promise<void>
  removeMembership(channelId: string, fid: number): Promise<void>
  putInvite(invite: Invite): Promise<void>
  removeInvite(channelId: string, invitedFid: number): Promise<void>
  addModeration(moderation: Moderation): Promise<void>
  reserve(ids: readonly string[]): Promise<void>
  unreserve(ids: readonly string[]): Promise<void>
}

const TEXT_COLUMNS = {
  id: 'text',
  url: 'text',
  cast_target: 'bytea',
  name: 'text',
  description: 'text',
  image_url: 'text',
  header_image_url: 'text',
  link_title: 'text',
  link_url: 'text',
  lead_fid: 'bigint',
  moderator_fid: 'bigint',
  moderator_fids: 'text',
  public_casting: 'bigint',
  pinned_hash: 'bytea',
  created_at: 'bigint',
  created_by: 'bigint',
} as const satisfies { [K in keyof ChannelText]: 'bigint' | 'bytea' | 'text' }
const TEXT_NAMES = Object.keys(TEXT_COLUMNS)

const FOLLOW_COLUMNS = { channel_id: 'text', fid: 'bigint', followed_at: 'bigint' } as const
const STANDING_COLUMNS = {
  channel_id: 'text',
  fid: 'bigint',
  standing: 'text',
  since: 'bigint',
} as const

const FOLLOWERS: NewestFirst = {
  table: 'channel_follow',
  columns: 'channel_id, fid, followed_at',
  time: 'followed_at',
  ties: ['fid'],
}
const FOLLOWED: NewestFirst = { ...FOLLOWERS, ties: ['channel_id'] }
const STANDINGS: NewestFirst = {
  table: 'channel_standing',
  columns: 'channel_id, fid, standing, since',
  time: 'since',
  ties: ['channel_id', 'fid'],
}
const INVITES: NewestFirst = {
  table: 'channel_invite',
  columns: 'channel_id, invited_fid, inviter_fid, role, invited_at',
  time: 'invited_at',
  ties: ['channel_id', 'invited_fid'],
}
const MODERATIONS: NewestFirst = {
  table: 'channel_moderation',
  columns: 'id, channel_id, cast_hash, action, moderated_at, by_fid',
  time: 'moderated_at',
  ties: ['id'],
  tiesDown: true,
}

// A reply's target is (1: casts) (1: a cast) fid hash; the slot of that cast is (1: casts) fid hash.
const OF_CAST = `with recursive above(step, target) as (
    select 0, target from message where slot = ? and target is not null
    union all
    select a.step + 1, m.target from above a
      join message m on m.slot = cast(substr(a.target, 1, 1) || substr(a.target, 3) as BYTES)
     where m.target is not null and a.step < ?)
  select c.* from above a join channel c on c.cast_target = a.target limit 1`

const BY_IDS = listStatement(
  { id: 'text' },
  'select c.* from input i join channel c on c.id = i.id',
)
const BY_URLS = listStatement(
  { url: 'text' },
  'select c.* from input i join channel c on c.url = i.url',
)
const FOLLOWED_CHANNELS = listStatement(
  { channel_id: 'text' },
  'select c.* from input i join channel c on c.id = i.channel_id',
)
const PUT = listStatement(
  { ...TEXT_COLUMNS, version: 'bigint' },
  `insert into channel (${TEXT_NAMES.join(', ')}, version, follower_count, member_count)
   select ${TEXT_NAMES.join(', ')}, version, 0, 0 from input where true
   on conflict (id) do update set
     ${TEXT_NAMES.slice(1).map(setToNew).join(', ')}, ${setToNew('version')}`,
)
const COUNT = listStatement(
  { id: 'text', followers: 'bigint', members: 'bigint', version: 'bigint' },
  `update channel set
     follower_count = follower_count + (select i.followers from input i where i.id = channel.id),
     member_count = member_count + (select i.members from input i where i.id = channel.id),
     version = (select i.version from input i where i.id = channel.id)
   where id in (select id from input)`,
)
const ADD_FOLLOWS = listStatement(
  FOLLOW_COLUMNS,
  `insert into channel_follow (channel_id, fid, followed_at)
   select channel_id, fid, followed_at from input where true
   on conflict (channel_id, fid) do nothing returning channel_id, fid, followed_at`,
)
const SET_FOLLOWED_AT = listStatement(
  FOLLOW_COLUMNS,
  `update channel_follow set followed_at = (
     select i.followed_at from input i
      where i.channel_id = channel_follow.channel_id and i.fid = channel_follow.fid)
   where (channel_id, fid) in (select channel_id, fid from input)`,
)
const STANDINGS_OF = listStatement(
  { channel_id: 'text', fid: 'bigint' },
  `select s.* from input i
     join channel_standing s on s.channel_id = i.channel_id and s.fid = i.fid`,
)
const PUT_STANDINGS = listStatement(
  STANDING_COLUMNS,
  `insert into channel_standing (channel_id, fid, standing, since)
   select channel_id, fid, standing, since from input where true
   on conflict (channel_id, fid) do update set
     standing = excluded.standing, since = excluded.since`,
)
const RESERVE = listStatement(
  { id: 'text' },
  'insert into channel_reserved (id) select id from input where true on conflict (id) do nothing',
)
const UNRESERVE = listStatement(
  { id: 'text' },
  'delete from channel_reserved where id in (select id from input)',
)

const asRows = <T>(rows: Row[]) => rows as unknown as T[]

function setToNew(column: string): string {
  return `${column} = excluded.${column}`
}

export function channelReader(sql: Sql): ChannelReader {
  const first = async <T>(text: string, parameters: SqlValue[]) =>
    (await all<T>(text, parameters))[0]
  const all = async <T>(text: string, parameters: SqlValue[]) =>
    asRows<T>(await sql.all(text, parameters))
  const count = async (text: string, parameters: SqlValue[]) =>
    Number((await sql.all(text, parameters))[0]?.n ?? 0)
  const newest = async <T>(list: NewestFirst, where: Where, after: After, limit: number) =>
    asRows<T>(await readNewestFirst(sql, list, where, after, limit))
  /** A table by its key, whole or after a row. */
  const byKey = <T>(table: string, after: After, limit: number) =>
    all<T>(
      `select * from ${table} ${after ? 'where (channel_id, fid) > (?, ?)' : ''}
       order by channel_id, fid limit ?`,
      [...(after ?? []), limit],
    )
  return {
    byId: (id) => first('select * from channel where id = ?', [id]),
    async byIdsOrUrls(keys) {
      const [byId, byUrl] = await Promise.all([sql.each(BY_IDS, keys), sql.each(BY_URLS, keys)])
      const found = asRows<StoredChannel>([...byId, ...byUrl])
      return [...new Map(found.map((channel) => [channel.id, channel])).values()]
    },
    changedAfter: (version, id, limit) =>
      all('select * from channel where (version, id) > (?, ?) order by version, id limit ?', [
        version,
        id,
        limit,
      ]),
    list: (afterId, limit) =>
      all('select * from channel where id > ? order by id limit ?', [afterId, limit]),
    createdBy: (fid) => count('select count(*) as n from channel where created_by = ?', [fid]),
    pinning: (castHash) => first('select * from channel where pinned_hash = ?', [castHash]),
    ofCast: (fid, hash, maxSteps) => first(OF_CAST, [castSlot(fid, hash), maxSteps]),

    follow: (channelId, fid) =>
      first('select * from channel_follow where channel_id = ? and fid = ?', [channelId, fid]),
    followers: (channel_id, after, limit) => newest(FOLLOWERS, { channel_id }, after, limit),
    async followedBy(fid, after, limit) {
      const follows = await newest<Follow>(FOLLOWED, { fid }, after, limit)
      const rows = asRows<StoredChannel>(await sql.each(FOLLOWED_CHANNELS, follows))
      const channels = new Map(rows.map((channel) => [channel.id, channel]))
      return follows.map(({ channel_id, followed_at }) => ({
        ...channels.get(channel_id)!,
        followed_at,
      }))
    },
    listFollows: (after, limit) => byKey('channel_follow', after, limit),

    membership: (channelId, fid) =>
      first('select * from channel_standing where channel_id = ? and fid = ?', [channelId, fid]),
    membershipsOf: async (pairs) => asRows(await sql.each(STANDINGS_OF, pairs)),
    memberships: (standing, { channelId, fid }, after, limit) =>
      newest(STANDINGS, { channel_id: channelId, fid, standing }, after, limit),
    listMemberships: (after, limit) => byKey('channel_standing', after, limit),

    invite: (channelId, invitedFid) =>
      first('select * from channel_invite where channel_id = ? and invited_fid = ?', [
        channelId,
        invitedFid,
      ]),
    invites: ({ channelId, fid }, after, limit) =>
      newest(INVITES, { channel_id: channelId, invited_fid: fid }, after, limit),
    moderatorInvites: (channelId) =>
      count(
        "select count(*) as n from channel_invite where channel_id = ? and role = 'moderator'",
        [channelId],
      ),

    latestModeration: (channelId, castHash) =>
      first(
        `select * from channel_moderation where channel_id = ? and cast_hash = ?
         order by id desc limit 1`,
        [channelId, castHash],
      ),
    moderations: (channelId, after, limit) =>
      newest(MODERATIONS, { channel_id: channelId }, after, limit),

    async isReserved(id) {
      return (await sql.all('select id from channel_reserved where id = ?', [id])).length > 0
    },
    async reserved(afterId, limit) {
      const text = 'select id from channel_reserved where id > ? order by id limit ?'
      return (await sql.all(text, [afterId, limit])).map(({ id }) => id as string)
    },
  }
}

type Where = Readonly<Record<string, number | string | undefined>>

export function channelWriter(sql: Sql): ChannelWriter {
  return {
    ...channelReader(sql),
    async put(channels, version) {
      await sql.each(
        PUT,
        channels.map((channel) => ({ ...channel, version })),
      )
    },
    async count(changes, version) {
      await sql.each(
        COUNT,
        changes.map(({ id, followers = 0, members = 0 }) => ({ id, followers, members, version })),
      )
    },
    addFollows: async (follows) => asRows<Follow>(await sql.each(ADD_FOLLOWS, follows)),
    async setFollowedAt(follows) {
      await sql.each(SET_FOLLOWED_AT, follows)
    },
    async removeFollow(channelId, fid) {
      const text = 'delete from channel_follow where channel_id = ? and fid = ? returning fid'
      return (await sql.all(text, [channelId, fid])).length > 0
    },
    async putMemberships(rows) {
      await sql.each(PUT_STANDINGS, rows)
    },
    async removeMembership(channelId, fid) {
      const text = 'delete from channel_standing where channel_id = ? and fid = ?'
      await sql.all(text, [channelId, fid])
    },
    async putInvite({ channel_id, invited_fid, inviter_fid, role, invited_at }) {
      await sql.all(
        `insert into channel_invite (channel_id, invited_fid, inviter_fid, role, invited_at)
         values (?, ?, ?, ?, ?)
         on conflict (channel_id, invited_fid) do update set
           inviter_fid = excluded.inviter_fid, role = excluded.role,
           invited_at = excluded.invited_at`,
        [channel_id, invited_fid, inviter_fid, role, invited_at],
      )
    },
    async removeInvite(channelId, invitedFid) {
      const text = 'delete from channel_invite where channel_id = ? and invited_fid = ?'
      await sql.all(text, [channelId, invitedFid])
    },
    async addModeration({ id, channel_id, cast_hash, action, moderated_at, by_fid }) {
      await sql.all(
        `insert into channel_moderation (id, channel_id, cast_hash, action, moderated_at, by_fid)
         values (?, ?, ?, ?, ?, ?)`,
        [id, channel_id, cast_hash, action, moderated_at, by_fid],
      )
    },
    async reserve(ids) {
      await sql.each(
        RESERVE,
        ids.map((id) => ({ id })),
      )
    },
    async unreserve(ids) {
      await sql.each(
        UNRESERVE,
        ids.map((id) => ({ id })),
      )
    },
  }
}
