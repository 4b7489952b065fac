import { limitParam } from '../http/input/paging.ts'
import {
  described,
  fidParam,
  optional,
  type Param,
  withDefault,
  wordParam,
} from '../http/input/params.ts'
import type { Route } from '../http/route.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Membership, StoredChannel } from '../storage/tables/channels.ts'
import { type Channels, compareByFollowers } from './channel-cache.ts'
import type { AppContext } from './context.ts'
import { cursorParam, nextOf } from './cursor.ts'
import { relevant } from './graph-routes.ts'
import { viewRoute } from './kit.ts'
import { channelsOf, memberRole } from './objects/channel-objects.ts'
import { dehydratedChannel, hydrate } from './objects/hydrate.ts'
import { onlookerOf } from './objects/onlooker.ts'
import { pageOf } from './pages.ts'
import {
  channelIdParam,
  invalid,
  listParam,
  missing,
  parentUrlParam,
  viewerParam,
} from './params.ts'
import {
  ChannelActivityReply,
  ChannelInvitesReply,
  type ChannelMember,
  ChannelMembersReply,
  ChannelReply,
  ChannelsPageReply,
  ChannelsReply,
  FollowersReply,
  RelevantFollowersReply,
} from './schemas.ts'

const CHANNELS = [{ name: 'Channels', description: 'Channels, their followers and members.' }]

const MAX_BULK = 100
const MAX_QUERY_CHARACTERS = 64
/** Newest casts of a user in which their channels are looked for. */
const ACTIVE_OF = 1_000

const typeParam = withDefault(
  described(wordParam(['id', 'parent_url']), 'What the channels are named by.'),
  'id',
) as Param<'id' | 'parent_url'>

/** An id or a url: which one is said by another parameter. */
const nameParam: Param<string> = {
  ...parentUrlParam,
  description: 'The id or the parent url of a channel.',
}

const queryParam: Param<string> = {
  schema: { type: 'string', minLength: 1, maxLength: MAX_QUERY_CHARACTERS },
  description: 'A part of the id or of the name, in any case.',
  parse: (text, field) => {
    if (text.length <= MAX_QUERY_CHARACTERS) return text.toLowerCase()
    throw invalid(field, `must be at most ${MAX_QUERY_CHARACTERS} characters`)
  },
}

const WINDOWS = { '1d': 'casts_1d', '7d': 'casts_7d', '30d': 'casts_30d' } as const

/** Routes of channels. */
export function channelRoutes(context: AppContext): Route[] {
  const { storage, channelCache } = context
  const get = viewRoute(context)
  const getChannel = async (id: string): Promise<StoredChannel> => {
    const channel = (await channelCache.refresh()).byId.get(id)
    if (!channel) throw new Rejection('not_found', `there is no channel ${id}`)
    return channel
  }
  const members = async (rows: readonly Membership[], viewer: undefined | number, app: string) => {
    const { byId } = await channelCache.refresh()
    const users = rows.map(({ fid }) => fid)
    const found = await hydrate(context, { app, viewer }, { users })
    return rows.flatMap((row): ChannelMember[] => {
      const [user, channel] = [found.user(row.fid), byId.get(row.channel_id)]
      if (!user || !channel) return []
      const role = memberRole(channel, row.fid)
      return [{ object: 'member', role, user, channel: dehydratedChannel(channel) }]
    })
  }
  return [
    get(
      {
        path: '/channel',
        summary: 'A channel',
        description: 'By its id or its parent url.',
        tags: CHANNELS,
        query: { id: nameParam, type: typeParam, viewer_fid: viewerParam },
        reply: ChannelReply,
        errors: ['not_found'],
      },
      async ({ query, caller }) => {
        const channel = findChannel(await channelCache.refresh(), query.id, query.type)
        if (!channel) throw new Rejection('not_found', `there is no channel ${query.id}`)
        const onlooker = onlookerOf(caller, query.viewerFid)
        const [whole] = await channelsOf(context, onlooker, [channel])
        return { channel: whole! }
      },
    ),
    get(
      {
        path: '/channel/bulk',
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
      },
      async ({ query, caller }) => {
        const channels = await channelCache.refresh()
        const found = query.ids.flatMap((id) => findChannel(channels, id, query.type) ?? [])
        const onlooker = onlookerOf(caller, query.viewerFid)
        return { channels: await channelsOf(context, onlooker, [...new Set(found)]) }
      },
    ),
    get(
      {
        path: '/channel/list',
        summary: 'All channels',
        description: 'Those with the most followers first.',
        tags: CHANNELS,
        query: {
          viewer_fid: viewerParam,
          limit: limitParam({ default: 20, max: 200 }),
          cursor: cursorParam('channels', ['n', 'h']),
        },
        reply: ChannelsPageReply,
        cost: { cpu: 'medium', rows: 200 },
      },
      async ({ query, caller }) => {
        const page = ranked(await channelCache.refresh(), query)
        const onlooker = onlookerOf(caller, query.viewerFid)
        return {
          channels: await channelsOf(context, onlooker, page.items),
          next: nextOf('channels', placeOf(page.last)),
        }
      },
    ),
    get(
      {
        path: '/channel/search',
        summary: 'Channels by a part of their id or name',
        description: 'The one with exactly this id first, then those with the most followers.',
        tags: CHANNELS,
        limit: 'search',
        query: {
          q: queryParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 20, max: 200 }),
          cursor: cursorParam('channelSearch', ['n', 'h']),
        },
        reply: ChannelsPageReply,
        cost: { cpu: 'medium', rows: 200 },
      },
      async ({ query, caller }) => {
        const channels = await channelCache.refresh()
        const { q, cursor } = query
        const exact = cursor ? undefined : channels.byId.get(q)
        const limit = query.limit - (exact ? 1 : 0)
        const fits = ({ id, name }: StoredChannel) =>
          id !== q && (id.includes(q) || name.toLowerCase().includes(q))
        // One more than fits: the list goes on after a page of the exact match alone.
        const page = ranked(channels, { limit: Math.max(1, limit), cursor }, fits)
        const rows = exact ? [exact, ...page.items.slice(0, limit)] : page.items
        const isCut = limit === 0 && page.items.length > 0
        return {
          channels: await channelsOf(context, onlookerOf(caller, query.viewerFid), rows),
          next: nextOf('channelSearch', isCut ? START : placeOf(page.last)),
        }
      },
    ),
    get(
      {
        path: '/channel/followers',
        summary: 'The followers of a channel',
        description: 'The newest first.',
        tags: CHANNELS,
        query: {
          id: channelIdParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 1_000 }),
          cursor: cursorParam('channelFollowers', ['n', 'n']),
        },
        reply: FollowersReply,
        errors: ['not_found'],
        cost: { cpu: 'medium', rows: 1_000 },
      },
      async ({ query: { id, limit, cursor, viewerFid }, caller }) => {
        await getChannel(id)
        const onlooker = onlookerOf(caller, viewerFid)
        const after = cursor && [cursor[0], id, cursor[1]]
        const rows = await storage.channels.followers(id, after, limit + 1)
        const { items, last } = pageOf(rows, limit)
        const fids = items.map(({ fid }) => fid)
        const visible = await storage.appViews.shownAmong(onlooker, fids)
        const found = await hydrate(context, onlooker, { users: [...visible] })
        return {
          users: fids.flatMap((fid) => {
            const user = visible.has(fid) ? found.user(fid) : undefined
            return user ? [{ object: 'follower' as const, user }] : []
          }),
          next: nextOf('channelFollowers', last && [last.followed_at, last.fid]),
        }
      },
    ),
    get(
      {
        path: '/channel/followers/relevant',
        summary: 'Followers of a channel that the viewer follows',
        description: 'Those with the best scores, ten of them whole.',
        tags: CHANNELS,
        query: { id: channelIdParam, viewer_fid: described(fidParam, 'The user who looks.') },
        reply: RelevantFollowersReply,
        errors: ['not_found'],
        cost: { cpu: 'medium', rows: 500 },
      },
      async ({ query: { id, viewerFid }, caller }) => {
        await getChannel(id)
        const fids = await storage.appViews.channelFollowersFollowedBy(id, viewerFid)
        return relevant(context, onlookerOf(caller, viewerFid), fids)
      },
    ),
    get(
      {
        path: '/channel/member/list',
        summary: 'The members of a channel',
        description: 'The owner and the moderators included; the newest first.',
        tags: CHANNELS,
        query: {
          channel_id: channelIdParam,
          fid: optional(described(fidParam, 'Only this member.')),
          limit: limitParam({ default: 20, max: 100 }),
          cursor: cursorParam('channelMembers', ['n', 'n']),
        },
        reply: ChannelMembersReply,
        errors: ['not_found'],
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query: { channelId, fid, limit, cursor }, caller }) => {
        await getChannel(channelId)
        const after = cursor && [cursor[0], channelId, cursor[1]]
        const filter = { channelId, fid }
        const rows = await storage.channels.memberships('member', filter, after, limit + 1)
        const { items, last } = pageOf(rows, limit)
        return {
          members: await members(items, undefined, caller.app.uuid),
          next: nextOf('channelMembers', last && [last.since, last.fid]),
        }
      },
    ),
    get(
      {
        path: '/channel/member/invite/list',
        summary: 'Invites to channels that are not answered yet',
        description: 'Of a channel, of a user or of both; the newest first.',
        tags: CHANNELS,
        query: {
          channel_id: optional(channelIdParam),
          invited_fid: optional(described(fidParam, 'The user who is invited.')),
          limit: limitParam({ default: 20, max: 100 }),
          cursor: cursorParam('channelInvites', ['n', 'h', 'n']),
        },
        reply: ChannelInvitesReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query: { channelId, invitedFid: fid, limit, cursor }, caller }) => {
        if (channelId === undefined && fid === undefined) {
          throw missing('channel_id', 'channel_id or invited_fid')
        }
        const after = cursor && [cursor[0], textOf(cursor[1]), cursor[2]]
        const rows = await storage.channels.invites({ channelId, fid }, after, limit + 1)
        const { items, last } = pageOf(rows, limit)
        const users = items.flatMap((row) => [row.inviter_fid, row.invited_fid])
        const found = await hydrate(context, onlookerOf(caller, undefined), { users })
        return {
          invites: items.flatMap(({ channel_id, role, inviter_fid, invited_fid }) => {
            const [inviter, invited] = [found.user(inviter_fid), found.user(invited_fid)]
            return inviter && invited ? [{ channel_id, role, inviter, invited }] : []
          }),
          next: nextOf(
            'channelInvites',
            last && [last.invited_at, Buffer.from(last.channel_id), last.invited_fid],
          ),
        }
      },
    ),
    get(
      {
        path: '/channel/trending',
        summary: 'The channels with the most casts',
        description: 'Ranked by casts in the window; counted every few minutes.',
        tags: CHANNELS,
        query: {
          time_window: withDefault(
            described(wordParam(['1d', '7d', '30d']), 'Since when casts count.'),
            '1d',
          ) as Param<keyof typeof WINDOWS>,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 10, max: 25 }),
          cursor: cursorParam('channelActivity', ['n']),
        },
        reply: ChannelActivityReply,
        cost: { cpu: 'medium', rows: 25 },
      },
      async ({ query, caller }) => {
        const { byUrl } = await channelCache.refresh()
        const from = query.cursor?.[0] ?? 0
        const active = (await storage.appViews.activity()).flatMap((row) => {
          const channel = byUrl.get(row.url)
          return channel ? [{ ...row, channel }] : []
        })
        const column = WINDOWS[query.timeWindow]
        const rows = active
          .filter((row) => row[column] > 0)
          .sort((a, b) => b[column] - a[column] || (a.channel.id < b.channel.id ? -1 : 1))
        const shown = rows.slice(from, from + query.limit)
        const onlooker = onlookerOf(caller, query.viewerFid)
        const channels = await channelsOf(
          context,
          onlooker,
          shown.map(({ channel }) => channel),
        )
        const end = from + query.limit
        return {
          channels: shown.map((row, i) => ({
            object: 'channel_activity' as const,
            cast_count_1d: String(row.casts_1d),
            cast_count_7d: String(row.casts_7d),
            cast_count_30d: String(row.casts_30d),
            channel: channels[i]!,
          })),
          next: nextOf('channelActivity', end < rows.length ? [end] : undefined),
        }
      },
    ),
    get(
      {
        path: '/channel/user',
        summary: 'The channels in which a user casts',
        description: 'Those of the newest 1,000 casts, the latest first.',
        tags: CHANNELS,
        query: {
          fid: fidParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 20, max: 100 }),
          cursor: cursorParam('activeChannels', ['n']),
        },
        reply: ChannelsPageReply,
        cost: { cpu: 'medium', rows: 100 },
      },
      async ({ query, caller }) => {
        const { byUrl } = await channelCache.refresh()
        const urls = await storage.appViews.placesOfAuthor(query.fid, ACTIVE_OF)
        const rows = urls.flatMap((url) => byUrl.get(url) ?? [])
        const from = query.cursor?.[0] ?? 0
        const end = from + query.limit
        const onlooker = onlookerOf(caller, query.viewerFid)
        return {
          channels: await channelsOf(context, onlooker, rows.slice(from, end)),
          next: nextOf('activeChannels', end < rows.length ? [end] : undefined),
        }
      },
    ),
    get(
      {
        path: '/user/channels',
        summary: 'The channels that a user follows',
        description: 'The newest follow first.',
        tags: CHANNELS,
        query: {
          fid: fidParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('userChannels', ['n', 'h']),
        },
        reply: ChannelsPageReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query: { fid, limit, cursor, viewerFid }, caller }) => {
        const after = cursor && [cursor[0], textOf(cursor[1]), fid]
        const rows = await storage.channels.followedBy(fid, after, limit + 1)
        const { items, last } = pageOf(rows, limit)
        return {
          channels: await channelsOf(context, onlookerOf(caller, viewerFid), items),
          next: nextOf('userChannels', last && [last.followed_at, Buffer.from(last.id)]),
        }
      },
    ),
    get(
      {
        path: '/user/memberships/list',
        summary: 'The channels that a user is a member of',
        description: 'The newest membership first.',
        tags: CHANNELS,
        query: {
          fid: fidParam,
          limit: limitParam({ default: 20, max: 100 }),
          cursor: cursorParam('memberships', ['n', 'h']),
        },
        reply: ChannelMembersReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query: { fid, limit, cursor }, caller }) => {
        const after = cursor && [cursor[0], textOf(cursor[1]), fid]
        const rows = await storage.channels.memberships('member', { fid }, after, limit + 1)
        const { items, last } = pageOf(rows, limit)
        return {
          members: await members(items, undefined, caller.app.uuid),
          next: nextOf('memberships', last && [last.since, Buffer.from(last.channel_id)]),
        }
      },
    ),
  ]
}

const findChannel = (
  { byId, byUrl }: Channels,
  name: string,
  type: 'id' | 'parent_url',
): StoredChannel | undefined => (type === 'id' ? byId : byUrl).get(name)

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** Before every channel of a ranked list. */
const START = [Number.MAX_SAFE_INTEGER, new Uint8Array(0)] as const

const placeOf = (channel: StoredChannel | undefined): [number, Uint8Array] | undefined =>
  channel && [channel.follower_count, Buffer.from(channel.id)]

/** A page of the channels that fit, by followers; it begins after the place of the cursor. */
function ranked(
  { byFollowers }: Pick<Channels, 'byFollowers'>,
  { limit, cursor }: { limit: number; cursor: readonly [number, Uint8Array] | undefined },
  fits: (channel: StoredChannel) => boolean = () => true,
): { items: StoredChannel[]; last: StoredChannel | undefined } {
  const after = cursor && { follower_count: cursor[0], id: textOf(cursor[1]) }
  const rows: StoredChannel[] = []
  for (let at = after ? firstAfter(byFollowers, after) : 0; at < byFollowers.length; at++) {
    if (!fits(byFollowers[at]!)) continue
    rows.push(byFollowers[at]!)
    if (rows.length > limit) break
  }
  return pageOf(rows, limit)
}

/** The index of the first channel behind a place, found by bisection. */
function firstAfter(
  sorted: readonly StoredChannel[],
  place: Pick<StoredChannel, 'follower_count' | 'id'>,
): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareByFollowers(sorted[middle]!, place) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
