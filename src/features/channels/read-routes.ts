import { Readable } from 'node:stream'
import Type, { type TSchema } from 'typebox'
import { schemaStyle } from '../../kernel/http/faults.ts'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { anyTextParam, described, optional, type Param } from '../../kernel/http/input/params.ts'
import { content, JSON_TYPE, type Route, route } from '../../kernel/http/route.ts'
import { cursor, fid, limit, matching } from '../../kernel/platform/params.ts'
import { PageOf, Result } from '../../kernel/platform/schemas.ts'
import { CHANNEL_ROLES, CHANNELS, type Needs } from './needs.ts'
import {
  BannedUser,
  bannedJson,
  Channel,
  channelJson,
  FollowedChannel,
  Follower,
  followedChannelJson,
  InviteReply,
  inviteJson,
  Member,
  ModerationReply,
  memberJson,
  moderationJson,
  RestrictedUser,
  restrictedJson,
} from './schemas.ts'
import { channelRows, type Membership, STORED_CHANNEL_ID } from './tables/channels.ts'

/** As declared by the deployed platform: any number. One that is not a valid fid matches no user. */
const anyFid: Param<number> = {
  description: 'The fid of the user. A number that is not a fid matches no user.',
  schema: { type: 'number' },
  parse: (value, field) => {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) {
      throw schemaStyle(field, { keyword: 'type', type: 'number' })
    }
    return Number.isInteger(number) && number > 0 && number < 2 ** 32 ? number : NO_FID
  },
}
const NO_FID = 0

const longPage = limit({ default: 100, max: 1_000 })
const whichChannel = described(anyTextParam, 'Id of the channel.')
const channelFilter = optional(described(matching(STORED_CHANNEL_ID), 'Only of this channel.'))
const fidFilter = optional(described(fid, 'Only of this user.'))

const NOT_FOLLOWING = { result: { following: false } }

const allChannels = route('GET /v2/all-channels', {
  callers: 'anyone',
  summary: 'All channels',
  description:
    'By createdAt and id. Send the ETag of the last answer as If-None-Match: it changes whenever ' +
    'any channel or any count does. The list has at most 64 MiB: beyond that the newest channels are ' +
    'left out.',
  tags: CHANNELS,
  reply: Result(Type.Object({ channels: Type.Array(Channel) })),
  cost: { cpu: 'large' },
  errors: [],
  handler: async ({ channels }: Needs) => {
    const all = await channels.all()
    const { content: body, onClose } = all.open()
    const length = body instanceof Readable && { 'content-length': String(all.byteLength) }
    return content(body, JSON_TYPE, { headers: { etag: all.etag, ...length }, onClose })
  },
})

const oneChannel = route('GET /v1/channel', {
  callers: 'anyone',
  summary: 'One channel',
  description: 'By its id; 404 when there is no such channel.',
  tags: CHANNELS,
  query: { channelId: whichChannel },
  reply: Result(Type.Object({ channel: Channel })),
  errors: ['not_found'],
  cost: 'lookup',
  handler: async ({ channels }: Needs, { query }) => ({
    result: { channel: channelJson(await channels.get(query.channelId)) },
  }),
})

const followers = route('GET /v1/channel-followers', {
  callers: 'anyone',
  summary: 'The followers of a channel',
  description: 'By followedAt, the latest first, then by fid. `fids` is deprecated.',
  tags: CHANNELS,
  query: { channelId: whichChannel, cursor: cursor('nn'), limit: longPage },
  reply: PageOf(Type.Object({ users: Type.Array(Follower), fids: Type.Array(Type.Integer()) })),
  errors: ['not_found'],
  cost: 'list',
  handler: async ({ channels }: Needs, { query }) => {
    const rows = await channels.followers(query.channelId, query.cursor, query.limit + 1)
    return pageReply(
      rows,
      query.limit,
      (row) => [row.followed_at, row.fid],
      (items) => ({
        users: items.map((row) => ({ fid: row.fid, followedAt: row.followed_at })),
        fids: items.map((row) => row.fid),
      }),
    )
  },
})

const followedChannels = route('GET /v1/user-following-channels', {
  callers: 'anyone',
  summary: 'The channels that a user follows',
  description: 'By followedAt, the latest first, then by channel id.',
  tags: CHANNELS,
  query: { fid: anyFid, cursor: cursor('ns'), limit: limit({ default: 25, max: 100 }) },
  reply: PageOf(Type.Object({ channels: Type.Array(FollowedChannel) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) =>
    pageReply(
      await context.storage.of(channelRows).followedBy(query.fid, query.cursor, query.limit + 1),
      query.limit,
      (row) => [row.followed_at, row.id],
      (items) => ({
        channels: items.map(followedChannelJson),
      }),
    ),
})

const follow = route('GET /v1/user-channel', {
  callers: 'anyone',
  summary: 'Whether a user follows a channel, and since when',
  description: '`followedAt` is there only when the user follows the channel.',
  tags: CHANNELS,
  query: { fid: anyFid, channelId: whichChannel },
  reply: Result(
    Type.Object({ following: Type.Boolean(), followedAt: Type.Optional(Type.Integer()) }),
  ),
  errors: ['not_found'],
  cost: 'lookup',
  handler: async ({ channels, context }: Needs, { query }) => {
    const { id } = await channels.get(query.channelId)
    const follow = await context.storage.of(channelRows).publishedFollow(id, query.fid)
    if (!follow) return NOT_FOLLOWING
    return { result: { following: true, followedAt: follow.followed_at } }
  },
})

const membershipPosition = (row: { since: number; channel_id: string; fid: number }) =>
  [row.since, row.channel_id, row.fid] as const

const members = route('GET /fc/channel-members', {
  callers: 'anyone',
  summary: 'The members of a channel, including its owner and moderators',
  description: 'By memberAt, the latest first, then by fid.',
  tags: CHANNEL_ROLES,
  query: {
    channelId: described(matching(STORED_CHANNEL_ID), 'Id of the channel.'),
    fid: fidFilter,
    cursor: cursor('nsn'),
    limit: longPage,
  },
  reply: PageOf(Type.Object({ members: Type.Array(Member) })),
  errors: ['not_found'],
  cost: 'list',
  handler: async ({ channels, context }: Needs, { query }) => {
    await channels.get(query.channelId)
    return pageReply(
      await context.storage
        .of(channelRows)
        .memberships('member', query, query.cursor, query.limit + 1),
      query.limit,
      membershipPosition,
      (items) => ({ members: items.map(memberJson) }),
    )
  },
})

const invites = route('GET /fc/channel-invites', {
  callers: 'anyone',
  summary: 'Pending invites',
  description: 'By invitedAt, the latest first, then by channel id and fid.',
  tags: CHANNEL_ROLES,
  query: {
    channelId: channelFilter,
    fid: optional(described(fid, 'Only to this user.')),
    cursor: cursor('nsn'),
    limit: longPage,
  },
  reply: PageOf(Type.Object({ invites: Type.Array(InviteReply) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) =>
    pageReply(
      await context.storage.of(channelRows).invites(query, query.cursor, query.limit + 1),
      query.limit,
      (row) => [row.invited_at, row.channel_id, row.invited_fid],
      (items) => ({ invites: items.map(inviteJson) }),
    ),
})

const moderations = route('GET /fc/moderated-casts', {
  callers: 'anyone',
  summary: 'Moderation actions on casts; the newest action on a cast is in force',
  description: 'By moderatedAt, the latest first.',
  tags: CHANNEL_ROLES,
  query: { channelId: channelFilter, cursor: cursor('nn'), limit: longPage },
  reply: PageOf(Type.Object({ moderationActions: Type.Array(ModerationReply) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) =>
    pageReply(
      await context.storage
        .of(channelRows)
        .moderations(query.channelId, query.cursor, query.limit + 1),
      query.limit,
      (row) => [row.moderated_at, row.id],
      (items) => ({ moderationActions: items.map(moderationJson) }),
    ),
})

/** A list of memberships with one status, by channel or by user. */
const memberships = (list: {
  readonly path: string
  readonly status: 'restricted' | 'banned'
  readonly summary: string
  readonly description: string
  readonly reply: TSchema
  readonly result: (items: Membership[]) => object
}) =>
  route(`GET ${list.path}`, {
    callers: 'anyone',
    summary: list.summary,
    description: list.description,
    tags: CHANNEL_ROLES,
    query: { channelId: channelFilter, fid: fidFilter, cursor: cursor('nsn'), limit: longPage },
    reply: list.reply,
    errors: [],
    cost: 'list',
    handler: async ({ context }: Needs, { query }) =>
      pageReply(
        await context.storage
          .of(channelRows)
          .memberships(list.status, query, query.cursor, query.limit + 1),
        query.limit,
        membershipPosition,
        list.result,
      ),
  })

/** Public reads of channels. */
export const channelReadRoutes: readonly Route<Needs>[] = [
  allChannels,
  oneChannel,
  followers,
  followedChannels,
  follow,
  members,
  invites,
  moderations,
  memberships({
    path: '/fc/channel-restricted-users',
    status: 'restricted',
    summary: 'Restricted users: removed or unbanned, and not invited again',
    description: 'By restrictedAt, the latest first, then by channel id and fid.',
    reply: PageOf(Type.Object({ restrictedUsers: Type.Array(RestrictedUser) })),
    result: (items) => ({ restrictedUsers: items.map(restrictedJson) }),
  }),
  memberships({
    path: '/fc/channel-bans',
    status: 'banned',
    summary: 'Banned users, whose replies are hidden',
    description: 'By bannedAt, the latest first, then by channel id and fid.',
    reply: PageOf(Type.Object({ bannedUsers: Type.Array(BannedUser) })),
    result: (items) => ({ bannedUsers: items.map(bannedJson) }),
  }),
]
