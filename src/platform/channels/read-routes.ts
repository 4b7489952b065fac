import { Readable } from 'node:stream'
import Type, { type TSchema } from 'typebox'
import { schemaStyle } from '../../http/faults.ts'
import { pageReply } from '../../http/input/paging.ts'
import { anyTextParam, described, optional, type Param } from '../../http/input/params.ts'
import { content, JSON_TYPE, type Route, read } from '../../http/route.ts'
import type { Storage } from '../../storage/storage.ts'
import { type Membership, STORED_CHANNEL_ID } from '../../storage/tables/channels.ts'
import { cursor, fid, limit, matching } from '../params.ts'
import { PageOf, Result } from '../schemas.ts'
import { CHANNEL_ROLES, CHANNELS } from '../tags.ts'
import type { Channels } from './channels.ts'
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

/** Public reads of channels. */
export const channelReadRoutes = (channels: Channels, storage: Storage): Route[] => [
  ...followRoutes(channels, storage),
  ...roleRoutes(channels, storage),
]

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

function followRoutes(channels: Channels, storage: Storage): Route[] {
  return [
    read(
      {
        path: '/v2/all-channels',
        summary: 'All channels',
        description:
          'By createdAt and id. Send the ETag of the last answer as If-None-Match: it changes whenever ' +
          'any channel or any count does. The list has at most 64 MiB: beyond that the newest channels are ' +
          'left out.',
        tags: CHANNELS,
        reply: Result(Type.Object({ channels: Type.Array(Channel) })),
        cost: { cpu: 'large' },
      },
      async () => {
        const all = await channels.all()
        const { content: body, onClose } = all.open()
        const length = body instanceof Readable && { 'content-length': String(all.byteLength) }
        return content(body, JSON_TYPE, { headers: { etag: all.etag, ...length }, onClose })
      },
    ),
    read(
      {
        path: '/v1/channel',
        summary: 'One channel',
        description: 'By its id; 404 when there is no such channel.',
        tags: CHANNELS,
        query: { channelId: whichChannel },
        reply: Result(Type.Object({ channel: Channel })),
        errors: ['not_found'],
      },
      async (query) => ({
        result: { channel: channelJson(await channels.get(query.channelId)) },
      }),
    ),
    read(
      {
        path: '/v1/channel-followers',
        summary: 'The followers of a channel',
        description: 'By followedAt, the latest first, then by fid. `fids` is deprecated.',
        tags: CHANNELS,
        query: { channelId: whichChannel, cursor: cursor('nn'), limit: longPage },
        reply: PageOf(
          Type.Object({ users: Type.Array(Follower), fids: Type.Array(Type.Integer()) }),
        ),
        errors: ['not_found'],
      },
      async (query) => {
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
    ),
    read(
      {
        path: '/v1/user-following-channels',
        summary: 'The channels that a user follows',
        description: 'By followedAt, the latest first, then by channel id.',
        tags: CHANNELS,
        query: { fid: anyFid, cursor: cursor('ns'), limit: limit({ default: 25, max: 100 }) },
        reply: PageOf(Type.Object({ channels: Type.Array(FollowedChannel) })),
      },
      async (query) =>
        pageReply(
          await storage.channels.followedBy(query.fid, query.cursor, query.limit + 1),
          query.limit,
          (row) => [row.followed_at, row.id],
          (items) => ({
            channels: items.map(followedChannelJson),
          }),
        ),
    ),
    read(
      {
        path: '/v1/user-channel',
        summary: 'Whether a user follows a channel, and since when',
        description: '`followedAt` is there only when the user follows the channel.',
        tags: CHANNELS,
        query: { fid: anyFid, channelId: whichChannel },
        reply: Result(
          Type.Object({ following: Type.Boolean(), followedAt: Type.Optional(Type.Integer()) }),
        ),
        errors: ['not_found'],
      },
      async (query) => {
        const { id } = await channels.get(query.channelId)
        const follow = await storage.channels.publishedFollow(id, query.fid)
        if (!follow) return NOT_FOLLOWING
        return { result: { following: true, followedAt: follow.followed_at } }
      },
    ),
  ]
}

const NOT_FOLLOWING = { result: { following: false } }

function roleRoutes(channels: Channels, storage: Storage): Route[] {
  return [
    read(
      {
        path: '/fc/channel-members',
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
      },
      async (query) => {
        await channels.get(query.channelId)
        return pageReply(
          await storage.channels.memberships('member', query, query.cursor, query.limit + 1),
          query.limit,
          membershipPosition,
          (items) => ({ members: items.map(memberJson) }),
        )
      },
    ),
    read(
      {
        path: '/fc/channel-invites',
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
      },
      async (query) =>
        pageReply(
          await storage.channels.invites(query, query.cursor, query.limit + 1),
          query.limit,
          (row) => [row.invited_at, row.channel_id, row.invited_fid],
          (items) => ({ invites: items.map(inviteJson) }),
        ),
    ),
    read(
      {
        path: '/fc/moderated-casts',
        summary: 'Moderation actions on casts; the newest action on a cast is in force',
        description: 'By moderatedAt, the latest first.',
        tags: CHANNEL_ROLES,
        query: { channelId: channelFilter, cursor: cursor('nn'), limit: longPage },
        reply: PageOf(Type.Object({ moderationActions: Type.Array(ModerationReply) })),
      },
      async (query) =>
        pageReply(
          await storage.channels.moderations(query.channelId, query.cursor, query.limit + 1),
          query.limit,
          (row) => [row.moderated_at, row.id],
          (items) => ({ moderationActions: items.map(moderationJson) }),
        ),
    ),
    membershipRoute(storage, {
      path: '/fc/channel-restricted-users',
      standing: 'restricted',
      summary: 'Restricted users: removed or unbanned, and not invited again',
      description: 'By restrictedAt, the latest first, then by channel id and fid.',
      reply: PageOf(Type.Object({ restrictedUsers: Type.Array(RestrictedUser) })),
      result: (items) => ({ restrictedUsers: items.map(restrictedJson) }),
    }),
    membershipRoute(storage, {
      path: '/fc/channel-bans',
      standing: 'banned',
      summary: 'Banned users, whose replies are hidden',
      description: 'By bannedAt, the latest first, then by channel id and fid.',
      reply: PageOf(Type.Object({ bannedUsers: Type.Array(BannedUser) })),
      result: (items) => ({ bannedUsers: items.map(bannedJson) }),
    }),
  ]
}

const membershipPosition = (row: { since: number; channel_id: string; fid: number }) =>
  [row.since, row.channel_id, row.fid] as const

/** A list of memberships with one status, by channel or by user. */
function membershipRoute(
  storage: Storage,
  list: {
    path: string
    standing: 'restricted' | 'banned'
    summary: string
    description: string
    reply: TSchema
    result: (items: Membership[]) => object
  },
): Route {
  const { path, standing, summary, description, reply, result } = list
  return read(
    {
      path,
      summary,
      description,
      tags: CHANNEL_ROLES,
      query: { channelId: channelFilter, fid: fidFilter, cursor: cursor('nsn'), limit: longPage },
      reply,
    },
    async (query) =>
      pageReply(
        await storage.channels.memberships(standing, query, query.cursor, query.limit + 1),
        query.limit,
        membershipPosition,
        result,
      ),
  )
}
