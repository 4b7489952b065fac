import { STORED_CHANNEL_ID } from '../../../kernel/app-api/channel-id.ts'
import { MAX_URL_BYTES } from '../../../kernel/protocol/sizes.ts'
import { castSlot } from '../../../kernel/protocol/slots.ts'
import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { hasHash } from '../../../kernel/storage/messages/messages.ts'
import { MAX_RELEVANT_SCANNED } from '../../../kernel/storage/reads/app-graph.ts'
import { isPublishedFid } from '../../../kernel/storage/reads/published.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { cursorReader, cursorWriter } from '../../../kernel/storage/tables/cursors.ts'
import { KEPT, NOT_EXPORTED } from '../../../kernel/storage/tables/duties.ts'
import {
  type After,
  type ErasingContext,
  type NewRowOf,
  query,
  type RowOf,
  rowsWith,
  table,
} from '../../../kernel/storage/tables/table.ts'

/** Ids of new channels, as the deployed platform declares them. */
export const CHANNEL_ID = /^[0-9a-z][0-9a-z-]{0,15}$/
export { STORED_CHANNEL_ID }
/** Moderators of one channel, pending invites included. */
export const MAX_MODERATORS = 10
const MAX_LINK_CHARACTERS = 512
export const MAX_RULES_CHARACTERS = 1_000

const CREATE_AND_EDIT = ['create', 'edit'] as const

export const CHANNELS = table(
  'channel',
  {
    id: {
      type: 'line',
      words: false,
      key: true,
      json: 'id',
      pattern: STORED_CHANNEL_ID,
      description: 'Unique, and never changes.',
    },
    /** The parent url of casts in the channel. */
    url: {
      type: 'line',
      words: false,
      json: 'url',
      min: 1,
      max: MAX_URL_BYTES,
      accept: ['create'],
      description: 'The parent url of the casts that begin threads here. No other channel has it.',
    },
    /** The message target of casts with that parent url. */
    cast_target: { type: 'bytes', withheld: false },
    name: { type: 'line', words: true, json: 'name', min: 1, max: 32, accept: CREATE_AND_EDIT },
    description: {
      type: 'text',
      words: true,
      json: 'description',
      max: 1_000,
      default: '',
      accept: CREATE_AND_EDIT,
      description: 'May be empty.',
    },
    image_url: {
      type: 'link',
      words: true,
      json: 'imageUrl',
      max: MAX_LINK_CHARACTERS,
      default: '',
      accept: CREATE_AND_EDIT,
      description: 'Empty when the channel has no image.',
    },
    header_image_url: {
      type: 'link',
      words: true,
      json: 'headerImageUrl',
      null: true,
      max: MAX_LINK_CHARACTERS,
      accept: CREATE_AND_EDIT,
    },
    lead_fid: {
      type: 'fid',
      erasure: 'empty',
      exported: true,
      json: 'leadFid',
      null: true,
      description: 'The owner, if the channel has one.',
    },
    /** The single moderator of older channels, in addition to `moderator_fids`. */
    moderator_fid: {
      type: 'fid',
      erasure: KEPT.choice,
      exported: NOT_EXPORTED.others,
      json: 'moderatorFid',
      null: true,
      accept: ['edit'],
      description: 'One more moderator, as channels had before they had several.',
    },
    moderator_fids: {
      type: 'fids',
      erasure: KEPT.choice,
      exported: NOT_EXPORTED.others,
      json: 'moderatorFids',
      max: MAX_MODERATORS,
    },
    created_at: { type: 'seconds', json: 'createdAt' },
    follower_count: { type: 'integer', json: 'followerCount', counter: true },
    member_count: {
      type: 'integer',
      json: 'memberCount',
      counter: true,
      description: 'The owner and the moderators are members too.',
    },
    pinned_hash: {
      type: 'bytes',
      withheld: false,
      json: 'pinnedCastHash',
      null: true,
      min: 20,
      max: 20,
    },
    link_title: {
      type: 'line',
      words: true,
      json: 'externalLink.title',
      null: true,
      min: 1,
      max: 64,
      accept: CREATE_AND_EDIT,
    },
    link_url: {
      type: 'link',
      words: true,
      json: 'externalLink.url',
      null: true,
      max: MAX_LINK_CHARACTERS,
      accept: CREATE_AND_EDIT,
    },
    /** 1: everybody may cast; 0: members only. */
    public_casting: {
      type: 'flag',
      json: 'publicCasting',
      default: 1,
      accept: CREATE_AND_EDIT,
      description: 'false: only members should cast.',
    },
    /** Of those who run it. Clients show them before somebody casts there for the first time. */
    rules: {
      type: 'text',
      words: true,
      json: 'rules',
      null: true,
      min: 1,
      max: MAX_RULES_CHARACTERS,
      accept: CREATE_AND_EDIT,
      description:
        'The rules of the channel itself, which clients show before a first cast. They refuse nothing. Lists of channels leave them out.',
    },
    /** The user whose quota of channels it counts against; null for channels of the operator. */
    created_by: { type: 'fid', erasure: 'empty', exported: true, null: true },
    /** Grows with every change of any channel. */
    version: { type: 'integer' },
  },
  { emptied: { name: 'channel.id' }, erase: emptyChannels },
)
export type StoredChannel = RowOf<typeof CHANNELS>
/** The fields of a channel that are written directly. Its counts are changed by `count`. */
export type ChannelText = Omit<NewRowOf<typeof CHANNELS>, 'version'>

/**
 * Takes the words of its owner from a channel. It stays, with its id as its name: casts of others are in it. Its owner may
 * describe it anew.
 */
async function emptyChannels(
  { sql, nextPlatformId }: ErasingContext,
  channels: readonly { readonly id: string }[],
): Promise<void> {
  const version = await nextVersion(sql, nextPlatformId)
  const emptied = {
    description: '',
    image_url: '',
    header_image_url: null,
    link_title: null,
    link_url: null,
    rules: null,
  }
  await CHANNELS.update(
    sql,
    [
      'name',
      'description',
      'image_url',
      'header_image_url',
      'link_title',
      'link_url',
      'rules',
      'version',
    ],
    channels.map(({ id }) => ({ ...emptied, id, name: id, version })),
  )
}

export const CHANNEL_FOLLOWS = table('channel_follow', {
  channel_id: {
    type: 'line',
    words: false,
    key: true,
    json: 'channelId',
    pattern: STORED_CHANNEL_ID,
  },
  fid: { type: 'fid', erasure: KEPT.choice, exported: true, key: true, json: 'fid' },
  followed_at: { type: 'seconds', json: 'followedAt' },
})
export type Follow = RowOf<typeof CHANNEL_FOLLOWS>

export const CHANNEL_MEMBERSHIPS = table('channel_standing', {
  channel_id: {
    type: 'line',
    words: false,
    key: true,
    json: 'channelId',
    pattern: STORED_CHANNEL_ID,
  },
  fid: { type: 'fid', erasure: KEPT.choice, exported: true, key: true, json: 'fid' },
  standing: { type: 'line', json: 'standing', values: ['member', 'restricted', 'banned'] },
  since: { type: 'seconds', json: 'since' },
})
export type Membership = RowOf<typeof CHANNEL_MEMBERSHIPS>
export type MembershipStatus = Membership['standing']

export const CHANNEL_INVITES = table('channel_invite', {
  channel_id: { type: 'line', words: false, key: true, json: 'channelId' },
  invited_fid: { type: 'fid', erasure: KEPT.others, exported: true, key: true, json: 'invitedFid' },
  invited_at: { type: 'seconds', json: 'invitedAt' },
  inviter_fid: { type: 'fid', erasure: KEPT.choice, exported: true, json: 'inviterFid' },
  role: { type: 'line', json: 'role', values: ['member', 'moderator'] },
})
export type Invite = RowOf<typeof CHANNEL_INVITES>
export type InviteRole = Invite['role']

/** A log of moderators' actions on casts; the newest action on a cast is in force. */
export const CHANNEL_MODERATIONS = table('channel_moderation', {
  id: { type: 'integer', key: true },
  cast_hash: { type: 'bytes', withheld: false, json: 'castHash', min: 20, max: 20 },
  channel_id: { type: 'line', words: false, json: 'channelId' },
  action: { type: 'line', json: 'action', values: ['hide', 'unhide'] },
  moderated_at: { type: 'seconds', json: 'moderatedAt' },
  by_fid: { type: 'fid', erasure: KEPT.decision, exported: true },
})
export type Moderation = RowOf<typeof CHANNEL_MODERATIONS>
export type ModerationAction = Moderation['action']

/** Ids that users may not take. */
export const RESERVED_CHANNELS = table('channel_reserved', {
  id: { type: 'line', words: false, key: true },
})

const FOLLOWERS = CHANNEL_FOLLOWS.newestFirst({
  time: 'followed_at',
  ties: ['fid'],
  publishedFids: ['fid'],
  columns: ['fid', 'followed_at'],
})
const FOLLOWED = CHANNEL_FOLLOWS.newestFirst({
  time: 'followed_at',
  ties: ['channel_id'],
  publishedFids: ['fid'],
})
const MEMBERSHIPS = CHANNEL_MEMBERSHIPS.newestFirst({
  time: 'since',
  ties: ['channel_id', 'fid'],
  publishedFids: ['fid'],
})
const INVITES = CHANNEL_INVITES.newestFirst({
  time: 'invited_at',
  ties: ['channel_id', 'invited_fid'],
  publishedFids: ['invited_fid', 'inviter_fid'],
})
const MODERATIONS = CHANNEL_MODERATIONS.newestFirst({
  time: 'moderated_at',
  ties: ['id'],
  tiesDown: true,
})

// A reply's target is (1: casts) (1: a cast) fid hash; the slot of that cast is (1: casts) fid hash. `cross join` keeps
// SQLite from reading all channels.
const OF_CAST = `with recursive above(step, target) as (
    select 0, target from message where slot = ? and target is not null
    union all
    select a.step + 1, m.target from above a
      join message m on ${hasHash('substr(a.target, 7)')} and substr(m.slot, 2) = substr(a.target, 3)
     where m.target is not null and a.step < ?)
  select c.* from above a cross join channel c where c.cast_target = a.target limit 1`

/** A list narrowed to one channel, one fid, both or neither. */
type Whose = { readonly channelId?: string | undefined; readonly fid?: number | undefined }
export type CountChange = {
  readonly id: string
  readonly followers?: number
  readonly members?: number
}

const VERSION_CURSOR = 'channels'

async function channelVersions(sql: Sql): Promise<{ first: number; newest: number }> {
  const text = await cursorReader(sql).get(VERSION_CURSOR)
  const [first = 0, newest = 0] = text?.split('-').map(Number) ?? []
  return { first, newest }
}

/** Readers that keep channels ask for those above the version that they have seen. */
async function nextVersion(sql: Sql, nextPlatformId: () => Promise<number>): Promise<number> {
  const [nextId, { first, newest }] = await Promise.all([nextPlatformId(), channelVersions(sql)])
  // Above the ids that the platform gave before its data was reset, so that no copy looks current.
  const version = Math.max(newest + 1, nextId)
  await cursorWriter(sql).put(VERSION_CURSOR, `${first || version}-${version}`)
  return version
}

/** The stored counts of a channel and the actual numbers of rows. */
type ChannelCounts = {
  readonly id: string
  readonly follower_count: number
  readonly followers: number
  readonly member_count: number
  readonly members: number
}
const MISCOUNTED = `select * from (
    select c.id, c.follower_count, c.member_count,
      (select count(*) from channel_follow f where f.channel_id = c.id) as followers,
      (select count(*) from channel_standing s
        where s.channel_id = c.id and s.standing = 'member') as members
    from channel c) as counted
  where follower_count <> followers or member_count <> members order by id limit (? + 0)`

const rowReader = (sql: Sql) => ({
  /** Channels whose counts differ from their rows. */
  miscounted: (limit: number) => query<ChannelCounts>(sql, MISCOUNTED, [limit]),
  byId: (id: string) => CHANNELS.find(sql, id),
  /** The channels that have one of the ids or one of the urls. */
  async byIdsOrUrls(keys: readonly { id: string; url: string }[]): Promise<StoredChannel[]> {
    const [byId, byUrl] = await Promise.all([
      CHANNELS.findAll(sql, keys),
      CHANNELS.findBy(
        sql,
        'url',
        keys.map(({ url }) => url),
      ),
    ])
    return [...new Map([...byId, ...byUrl].map((channel) => [channel.id, channel])).values()]
  },
  /** The first version since the store was empty, and the newest one; both 0 while there are no channels. */
  versions: () => channelVersions(sql),
  /** By (version, id), from this position on. */
  changedAfter: (version: number, id: string, limit: number) =>
    CHANNELS.select(sql, 'where (version, id) > (?, ?) order by version, id limit (? + 0)', [
      version,
      id,
      limit,
    ]),
  /** By id. */
  list: (afterId: string, limit: number) => CHANNELS.pageByKey(sql, [afterId], limit),
  createdByUsers: () => CHANNELS.count(sql, 'where created_by is not null', []),
  createdBy: (fid: number) => CHANNELS.count(sql, 'where created_by = ?', [fid]),
  /** The channel that has this cast pinned. */
  pinning: (castHash: Uint8Array) => CHANNELS.first(sql, 'where pinned_hash = ?', [castHash]),
  /** The channel of the cast's thread: by its own parent url, or by that of a cast at most so many steps above. */
  async ofCast(fid: number, hash: Uint8Array, maxSteps: number) {
    return (await query<StoredChannel>(sql, OF_CAST, [castSlot(fid, hash), maxSteps]))[0]
  },
})

// A viewer follows fewer accounts than a popular channel has followers.
const FOLLOWERS_FOLLOWED = `select v.target as fid from (
    select f.target from view_follow f where f.fid = ? order by f.at desc limit (? + 0)) v
  where (select 1 from channel_follow c
          where c.channel_id = ? and c.fid = v.target) is not null`

const followReader = (sql: Sql) => ({
  follow: (channelId: string, fid: number) => CHANNEL_FOLLOWS.find(sql, channelId, fid),
  /** The follow, unless moderation hides the fid. */
  publishedFollow: (channelId: string, fid: number) =>
    CHANNEL_FOLLOWS.first(
      sql,
      `where channel_id = ? and fid = ? and ${isPublishedFid('channel_follow.fid')}`,
      [channelId, fid],
    ),
  followsOf: (keys: readonly Pick<Follow, 'channel_id' | 'fid'>[]) =>
    CHANNEL_FOLLOWS.findAll(sql, keys),
  followers: (channel_id: string, after: After, limit: number) =>
    FOLLOWERS(sql, { channel_id }, after, limit),
  /** Followers of a channel that a viewer follows too, out of the newest of the viewer's follows. */
  async followersFollowedBy(channelId: string, viewer: number): Promise<number[]> {
    const values = [viewer, MAX_RELEVANT_SCANNED, channelId]
    const rows = await query<{ fid: number }>(sql, FOLLOWERS_FOLLOWED, values)
    return rows.map(({ fid }) => fid)
  },
  /** The channels that a fid follows. */
  async followedBy(fid: number, after: After, limit: number) {
    const follows = await FOLLOWED(sql, { fid }, after, limit)
    const keys = follows.map(({ channel_id: id }) => ({ id }))
    const rows = await CHANNELS.findAll(sql, keys)
    const channels = new Map(rows.map((channel) => [channel.id, channel]))
    return follows.map(({ channel_id, followed_at }) => ({
      ...channels.get(channel_id)!,
      followed_at,
    }))
  },
  /** By (channel_id, fid). */
  listFollows: (after: After, limit: number) => CHANNEL_FOLLOWS.pageByKey(sql, after, limit),
})

const membershipReader = (sql: Sql) => ({
  membership: (channelId: string, fid: number) => CHANNEL_MEMBERSHIPS.find(sql, channelId, fid),
  membershipsOf: (keys: readonly Pick<Membership, 'channel_id' | 'fid'>[]) =>
    CHANNEL_MEMBERSHIPS.findAll(sql, keys),
  memberships: (
    standing: MembershipStatus,
    { channelId, fid }: Whose,
    after: After,
    limit: number,
  ) => MEMBERSHIPS(sql, { channel_id: channelId, fid, standing }, after, limit),
  /** By (channel_id, fid). */
  listMemberships: (after: After, limit: number) =>
    CHANNEL_MEMBERSHIPS.pageByKey(sql, after, limit),

  invite: (channelId: string, invitedFid: number) =>
    CHANNEL_INVITES.find(sql, channelId, invitedFid),
  invites: ({ channelId, fid }: Whose, after: After, limit: number) =>
    INVITES(sql, { channel_id: channelId, invited_fid: fid }, after, limit),
  moderatorInvites: (channelId: string) =>
    CHANNEL_INVITES.count(sql, "where channel_id = ? and role = 'moderator'", [channelId]),
})

const moderationReader = (sql: Sql) => ({
  latestModeration: (channelId: string, castHash: Uint8Array) =>
    CHANNEL_MODERATIONS.first(
      sql,
      'where channel_id = ? and cast_hash = ? order by id desc limit 1',
      [channelId, castHash],
    ),
  moderations: (channelId: string | undefined, after: After, limit: number) =>
    MODERATIONS(sql, { channel_id: channelId }, after, limit),
  /** The actions that hide casts of a channel now, the newest first. */
  hiddenCasts: (channelId: string, after: After, limit: number) =>
    CHANNEL_MODERATIONS.select(
      sql,
      `where channel_id = ? and action = 'hide' and (moderated_at, id) < (?, ?)
         and not exists (select 1 from channel_moderation later
           where later.channel_id = channel_moderation.channel_id
             and later.cast_hash = channel_moderation.cast_hash and later.id > channel_moderation.id)
       order by moderated_at desc, id desc limit (? + 0)`,
      [channelId, ...(after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]), limit],
    ),

  async isReserved(id: string): Promise<boolean> {
    return (await RESERVED_CHANNELS.find(sql, id)) !== undefined
  },
  /** By id. */
  async reserved(afterId: string, limit: number): Promise<string[]> {
    return (await RESERVED_CHANNELS.pageByKey(sql, [afterId], limit)).map(({ id }) => id)
  },
})

/** Lists by time are newest first, then by the other columns of their primary key. */
/** Addresses of channel pictures that a clean-up reads at most. */
const MAX_CHANNEL_PICTURES = 200_000

const pictureReader = (sql: Sql) => ({
  /** Addresses of pictures that contain a text. */
  async pictures(text: string): Promise<string[]> {
    const found = await query<{ url: string }>(
      sql,
      `select image_url as url from channel where image_url like ? union
       select header_image_url from channel where header_image_url like ? limit (? + 0)`,
      [`%${text}%`, `%${text}%`, MAX_CHANNEL_PICTURES],
    )
    return found.map(({ url }) => url)
  },
})

export const channelReader = (sql: Sql) => ({
  ...pictureReader(sql),
  ...rowReader(sql),
  ...followReader(sql),
  ...membershipReader(sql),
  ...moderationReader(sql),
})

export function channelWriter(sql: Sql) {
  const reservedRows = (ids: readonly string[]) => rowsWith('id', ids)
  return {
    ...channelReader(sql),
    nextVersion: (nextPlatformId: () => Promise<number>) => nextVersion(sql, nextPlatformId),
    /** Stores channels, new or known by their ids, under a version. */
    put: (channels: readonly ChannelText[], version: number) =>
      CHANNELS.upsert(
        sql,
        channels.map((channel) => ({ ...channel, version })),
      ),
    /** Adds to the counts of channels. Each channel may appear once. */
    count: (changes: readonly CountChange[], version: number) =>
      CHANNELS.add(
        sql,
        ['follower_count', 'member_count'],
        ['version'],
        changes.map(({ id, followers = 0, members = 0 }) => ({
          id,
          follower_count: followers,
          member_count: members,
          version,
        })),
      ),
    /** Adds follows and returns those that are new; the others stay as they are. */
    addFollows: (follows: readonly Follow[]) => CHANNEL_FOLLOWS.insertNew(sql, follows),
    setFollowedAt: (follows: readonly Follow[]) =>
      CHANNEL_FOLLOWS.update(sql, ['followed_at'], follows),
    /** Returns whether there was a follow to remove. */
    async removeFollow(channel_id: string, fid: number): Promise<boolean> {
      return (await CHANNEL_FOLLOWS.remove(sql, [{ channel_id, fid }])) > 0
    },
    putMemberships: (rows: readonly Membership[]) => CHANNEL_MEMBERSHIPS.upsert(sql, rows),
    removeMembership: (channel_id: string, fid: number) =>
      CHANNEL_MEMBERSHIPS.remove(sql, [{ channel_id, fid }]),
    putInvite: (invite: Invite) => CHANNEL_INVITES.upsert(sql, [invite]),
    removeInvite: (channel_id: string, invited_fid: number) =>
      CHANNEL_INVITES.remove(sql, [{ channel_id, invited_fid }]),
    addModeration: (moderation: Moderation) => CHANNEL_MODERATIONS.insert(sql, [moderation]),
    reserve: (ids: readonly string[]) => RESERVED_CHANNELS.upsert(sql, reservedRows(ids)),
    async unreserve(ids: readonly string[]): Promise<void> {
      await RESERVED_CHANNELS.remove(sql, reservedRows(ids))
    },
  }
}

/** `storage.of(channelRows)` reads these tables, and `tx.of(channelRows)` writes them. */
export const channelRows = rowsOf(channelReader, ({ sql }) => channelWriter(sql))
