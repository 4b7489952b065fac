import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import {
  type ChannelRow,
  type Channels,
  dehydratedChannel,
} from '../../../kernel/app-api/channels.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { type Next, nextOf, paged } from '../../../kernel/app-api/cursor.ts'
import { hydrate } from '../../../kernel/app-api/objects/hydrate.ts'
import { followerOf, pageOf, sliceOf, usersOf, visibleTo } from '../../../kernel/app-api/pages.ts'
import {
  boundedParam,
  channelIdParam,
  choiceParam,
  missing,
  parentUrlParam,
  viewerParam,
} from '../../../kernel/app-api/params.ts'
import {
  type Channel,
  ChannelActivityReply,
  ChannelInvitesReply,
  type ChannelMember,
  ChannelMembersReply,
  ChannelReply,
  ChannelsPageReply,
  ChannelsReply,
  FollowersReply,
  RelevantFollowersReply,
} from '../../../kernel/app-api/schemas.ts'
import {
  described,
  fidParam,
  listParam,
  optional,
  type Param,
} from '../../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../../kernel/http/route.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import type { Membership } from '../../channels/port.ts'
import { channelRows } from '../../channels/port.ts'
import { relevant } from '../graph-routes.ts'
import { channelsOf, memberRole, wholeChannelOf } from '../objects/channel-objects.ts'
import { compareByFollowers } from './channel-cache.ts'

export const CHANNELS = [
  { name: 'Channels', description: 'Channels, their followers and members.' },
]

const MAX_BULK = 100
const MAX_QUERY_CHARACTERS = 64
/** The newest casts of a user in which their channels are looked for. */
const ACTIVE_OF = 1_000

const typeParam = choiceParam(['id', 'parent_url'], 'What the channels are named by.')

/** An id or a url: which one is said by another parameter. */
const nameParam: Param<string> = {
  ...parentUrlParam,
  description: 'The id or the parent url of a channel.',
}

const WINDOWS = { '1d': 'casts_1d', '7d': 'casts_7d', '30d': 'casts_30d' } as const

/** Routes of channels. */
export const channelRoutes = (context: AppContext): Route[] =>
  bind(context, [
    channel,
    channelsByName,
    allChannels,
    channelSearch,
    channelFollowers,
    relevantChannelFollowers,
    channelMembers,
    channelInvites,
    trendingChannels,
    activeChannels,
    followedChannels,
    memberships,
  ])

export const channel = route('GET /v2/farcaster/channel', {
  callers: 'app',
  summary: 'A channel',
  description: 'By its id or its parent url.',
  tags: CHANNELS,
  query: { id: nameParam, type: typeParam, viewer_fid: viewerParam },
  reply: ChannelReply,
  errors: ['not_found'],
  cost: 'lookup',
  from: VIEWS,
  handler: async (context, { viewer, query: { id, type } }) => {
    const found = findChannel(await context.channelCache.refresh(), id, type)
    if (!found) throw noChannel(id)
    return { channel: await wholeChannelOf(context, viewer, found) }
  },
})

const channelsByName = route('GET /v2/farcaster/channel/bulk', {
  callers: 'app',
  summary: 'Channels by their ids or parent urls',
  description: 'In the order asked for, each once. Unknown ones are missing.',
  tags: CHANNELS,
  query: {
    ids: listParam(nameParam, { max: MAX_BULK }),
    type: typeParam,
    viewer_fid: viewerParam,
  },
  reply: ChannelsReply,
  cost: { cpu: 'small', rows: MAX_BULK },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { ids, type } }) => {
    const channels = await context.channelCache.refresh()
    const found = ids.flatMap((id) => findChannel(channels, id, type) ?? [])
    return { channels: await channelsOf(context, viewer, [...new Set(found)]) }
  },
})

export const allChannels = route('GET /v2/farcaster/channel/list', {
  callers: 'app',
  summary: 'All channels',
  description: 'Those with the most followers first.',
  tags: CHANNELS,
  query: { viewer_fid: viewerParam, ...paged({ default: 20, max: 200 }, 'n', 's') },
  reply: ChannelsPageReply,
  cost: { cpu: 'medium', rows: 200 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const { items, last } = ranked(await context.channelCache.refresh(), query)
    return channelsPage(context, viewer, items, placeOf(last))
  },
})

export const channelSearch = route('GET /v2/farcaster/channel/search', {
  callers: 'app',
  summary: 'Channels by a part of their id or name',
  description: 'The one with exactly this id first, then those with the most followers.',
  tags: CHANNELS,
  limit: 'search',
  query: {
    q: boundedParam(MAX_QUERY_CHARACTERS, 'A part of the id or of the name, in any case.'),
    viewer_fid: viewerParam,
    ...paged({ default: 20, max: 200 }, 'n', 's'),
  },
  reply: ChannelsPageReply,
  cost: { cpu: 'medium', rows: 200 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { q, limit, cursor } }) => {
    const channels = await context.channelCache.refresh()
    const text = q.toLowerCase()
    const exact = cursor ? undefined : channels.byId.get(text)
    const others = limit - (exact ? 1 : 0)
    const fits = ({ id, name }: ChannelRow) =>
      id !== text && (id.includes(text) || name.toLowerCase().includes(text))
    // At least one is looked for: the list may go on after a page that has only the exact match.
    const { items, last } = ranked(channels, { limit: Math.max(1, others), cursor }, fits)
    const rows = exact ? [exact, ...items.slice(0, others)] : items
    const isCut = others === 0 && items.length > 0
    return channelsPage(context, viewer, rows, isCut ? START : placeOf(last))
  },
})

export const channelFollowers = route('GET /v2/farcaster/channel/followers', {
  callers: 'app',
  summary: 'The followers of a channel',
  description: 'The newest first.',
  tags: CHANNELS,
  query: {
    id: channelIdParam,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 1_000 }, 'n', 'n'),
  },
  reply: FollowersReply,
  errors: ['not_found'],
  cost: { cpu: 'medium', rows: 1_000 },
  from: VIEWS,
  handler: async (context, { viewer, query: { id, limit, cursor } }) => {
    await checkChannel(context, id)
    const after = cursor && [cursor[0], id, cursor[1]]
    const rows = await context.storage.of(channelRows).followers(id, after, limit + 1)
    const { items, last } = pageOf(rows, limit)
    const visible = await visibleTo(context, viewer, items, ({ fid }) => fid)
    const fids = visible.map(({ fid }) => fid)
    return {
      users: (await usersOf(context, viewer, fids)).map(followerOf),
      next: nextOf(last && [last.followed_at, last.fid]),
    }
  },
})

const relevantChannelFollowers = route('GET /v2/farcaster/channel/followers/relevant', {
  callers: 'app',
  summary: 'Followers of a channel that the viewer follows',
  description: 'Those with the best scores, ten of them whole.',
  tags: CHANNELS,
  query: { id: channelIdParam, viewer_fid: described(fidParam, 'The user who looks.') },
  reply: RelevantFollowersReply,
  errors: ['not_found'],
  cost: { cpu: 'medium', rows: 500 },
  from: VIEWS,
  handler: async (context, { viewer, query: { id, viewerFid } }) => {
    await checkChannel(context, id)
    const fids = await context.storage.of(channelRows).followersFollowedBy(id, viewerFid)
    return relevant(context, viewer, fids)
  },
})

export const channelMembers = route('GET /v2/farcaster/channel/member/list', {
  callers: 'app',
  summary: 'The members of a channel',
  description: 'The owner and the moderators included; the newest first.',
  tags: CHANNELS,
  query: {
    channel_id: channelIdParam,
    fid: optional(described(fidParam, 'Only this member.')),
    ...paged({ default: 20, max: 100 }, 'n', 'n'),
  },
  reply: ChannelMembersReply,
  errors: ['not_found'],
  cost: { cpu: 'small', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query: { channelId, fid, limit, cursor } }) => {
    await checkChannel(context, channelId)
    const after = cursor && [cursor[0], channelId, cursor[1]]
    const channels = context.storage.of(channelRows)
    const rows = await channels.memberships('member', { channelId, fid }, after, limit + 1)
    const { items, last } = pageOf(rows, limit)
    return {
      members: await membersOf(context, viewer, items),
      next: nextOf(last && [last.since, last.fid]),
    }
  },
})

export const channelInvites = route('GET /v2/farcaster/channel/member/invite/list', {
  callers: 'app',
  summary: 'Invites to channels that are not answered yet',
  description: 'Of a channel, of a user or of both; the newest first.',
  tags: CHANNELS,
  query: {
    channel_id: optional(channelIdParam),
    invited_fid: optional(described(fidParam, 'The user who is invited.')),
    ...paged({ default: 20, max: 100 }, 'n', 's', 'n'),
  },
  reply: ChannelInvitesReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { channelId, invitedFid: fid, limit, cursor } }) => {
    if (channelId === undefined && fid === undefined) {
      throw missing('channel_id', 'channel_id or invited_fid')
    }
    const rows = await context.storage
      .of(channelRows)
      .invites({ channelId, fid }, cursor, limit + 1)
    const { items, last } = pageOf(rows, limit)
    const users = items.flatMap((row) => [row.inviter_fid, row.invited_fid])
    const found = await hydrate(context, viewer, { users })
    return {
      invites: items.flatMap(({ channel_id, role, inviter_fid, invited_fid }) => {
        const [inviter, invited] = [found.user(inviter_fid), found.user(invited_fid)]
        return inviter && invited ? [{ channel_id, role, inviter, invited }] : []
      }),
      next: nextOf(last && [last.invited_at, last.channel_id, last.invited_fid]),
    }
  },
})

export const trendingChannels = route('GET /v2/farcaster/channel/trending', {
  callers: 'app',
  summary: 'The channels with the most casts',
  description: 'Ranked by casts in the window; counted every few minutes.',
  tags: CHANNELS,
  query: {
    time_window: choiceParam(['1d', '7d', '30d'], 'Since when casts count.'),
    viewer_fid: viewerParam,
    ...paged({ default: 10, max: 25 }, 'n'),
  },
  reply: ChannelActivityReply,
  cost: { cpu: 'medium', rows: 25 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { timeWindow, limit, cursor: [from] = [0] } }) => {
    const { byUrl } = await context.channelCache.refresh()
    const active = (await context.storage.appViews.activity()).flatMap((row) => {
      const channel = byUrl.get(row.url)
      return channel ? [{ ...row, channel }] : []
    })
    const column = WINDOWS[timeWindow]
    const rows = active
      .filter((row) => row[column] > 0)
      .sort((a, b) => b[column] - a[column] || (a.channel.id < b.channel.id ? -1 : 1))
    const { items, next } = sliceOf(rows, from, limit)
    const stored = items.map(({ channel }) => channel)
    const channels = await channelsOf(context, viewer, stored)
    return {
      channels: items.map((row, i) => ({
        object: 'channel_activity' as const,
        cast_count_1d: String(row.casts_1d),
        cast_count_7d: String(row.casts_7d),
        cast_count_30d: String(row.casts_30d),
        channel: channels[i]!,
      })),
      next: nextOf(next === undefined ? undefined : [next]),
    }
  },
})

const activeChannels = route('GET /v2/farcaster/channel/user', {
  callers: 'app',
  summary: 'The channels in which a user casts',
  description: 'Those of the newest 1,000 casts, the latest first.',
  tags: CHANNELS,
  query: { fid: fidParam, viewer_fid: viewerParam, ...paged({ default: 20, max: 100 }, 'n') },
  reply: ChannelsPageReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor: [from] = [0] } }) => {
    const { byUrl } = await context.channelCache.refresh()
    const urls = await context.storage.appViews.placesOfAuthor(fid, ACTIVE_OF)
    const rows = urls.flatMap((url) => byUrl.get(url) ?? [])
    const { items, next } = sliceOf(rows, from, limit)
    return channelsPage(context, viewer, items, next === undefined ? undefined : [next])
  },
})

const followedChannels = route('GET /v2/farcaster/user/channels', {
  callers: 'app',
  summary: 'The channels that a user follows',
  description: 'The newest follow first.',
  tags: CHANNELS,
  query: {
    fid: fidParam,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n', 's'),
  },
  reply: ChannelsPageReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor } }) => {
    const after = cursor && [...cursor, fid]
    const rows = await context.storage.of(channelRows).followedBy(fid, after, limit + 1)
    const { items, last } = pageOf(rows, limit)
    return channelsPage(context, viewer, items, last && [last.followed_at, last.id])
  },
})

const memberships = route('GET /v2/farcaster/user/memberships/list', {
  callers: 'app',
  summary: 'The channels that a user is a member of',
  description: 'The newest membership first.',
  tags: CHANNELS,
  query: { fid: fidParam, ...paged({ default: 20, max: 100 }, 'n', 's') },
  reply: ChannelMembersReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor } }) => {
    const after = cursor && [...cursor, fid]
    const channels = context.storage.of(channelRows)
    const rows = await channels.memberships('member', { fid }, after, limit + 1)
    const { items, last } = pageOf(rows, limit)
    return {
      members: await membersOf(context, viewer, items),
      next: nextOf(last && [last.since, last.channel_id]),
    }
  },
})

const findChannel = (
  { byId, byUrl }: Channels,
  name: string,
  type: 'id' | 'parent_url',
): ChannelRow | undefined => (type === 'id' ? byId : byUrl).get(name)

const noChannel = (name: string) => new Rejection('not_found', `there is no channel ${name}`)

export async function checkChannel({ channelCache }: AppContext, id: string): Promise<void> {
  if (!(await channelCache.refresh()).byId.has(id)) throw noChannel(id)
}

const channelsPage = async (
  context: AppContext,
  viewer: Viewer,
  rows: readonly ChannelRow[],
  next: readonly (number | string)[] | undefined,
): Promise<{ channels: Channel[]; next: Next }> => ({
  channels: await channelsOf(context, viewer, rows),
  next: nextOf(next),
})

async function membersOf(
  context: AppContext,
  viewer: Viewer,
  rows: readonly Membership[],
): Promise<ChannelMember[]> {
  const { byId } = await context.channelCache.refresh()
  const found = await hydrate(context, viewer, { users: rows.map(({ fid }) => fid) })
  return rows.flatMap((row): ChannelMember[] => {
    const [user, channel] = [found.user(row.fid), byId.get(row.channel_id)]
    if (!user || !channel) return []
    const role = memberRole(channel, row.fid)
    return [{ object: 'member', role, user, channel: dehydratedChannel(channel) }]
  })
}

/** Before every channel of a ranked list. */
const START = [Number.MAX_SAFE_INTEGER, ''] as const

const placeOf = (channel: ChannelRow | undefined) =>
  channel && ([channel.follower_count, channel.id] as const)

/** A page of the channels that fit, by followers; it begins after the place of the cursor. */
function ranked(
  { byFollowers }: Pick<Channels, 'byFollowers'>,
  { limit, cursor }: { limit: number; cursor: readonly [number, string] | undefined },
  fits: (channel: ChannelRow) => boolean = () => true,
): { items: ChannelRow[]; last: ChannelRow | undefined } {
  const after = cursor && { follower_count: cursor[0], id: cursor[1] }
  const rows: ChannelRow[] = []
  for (let at = after ? firstAfter(byFollowers, after) : 0; at < byFollowers.length; at++) {
    if (!fits(byFollowers[at]!)) continue
    rows.push(byFollowers[at]!)
    if (rows.length > limit) break
  }
  return pageOf(rows, limit)
}

/** The index of the first channel behind a place, found by bisection. */
function firstAfter(
  sorted: readonly ChannelRow[],
  place: Pick<ChannelRow, 'follower_count' | 'id'>,
): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareByFollowers(sorted[middle]!, place) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
