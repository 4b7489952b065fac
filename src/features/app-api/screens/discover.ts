import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { recommendedTo, usersOf } from '../../../kernel/app-api/pages.ts'
import { viewerParam } from '../../../kernel/app-api/params.ts'
import type { Cast, Channel, User } from '../../../kernel/app-api/schemas.ts'
import { route } from '../../../kernel/http/route.ts'
import { allChannels, trendingChannels } from '../channels/channel-routes.ts'
import { newestFeed, trendingFeed } from '../feed-routes.ts'
import { suggestedFollows } from '../graph-routes.ts'
import { DiscoverScreenReply, SCREENS } from './schemas.ts'

const USERS = 5
const CHANNELS = 3
const CASTS = 3
/** Of each source, because the viewer follows some already. */
const CANDIDATES = 25

/** Whom and what to follow: for newcomers, and beside the content. */
export const discoverScreen = route('GET /v2/farcaster/screen/discover', {
  callers: 'app',
  summary: 'People and channels to follow, and casts that are talked about',
  description:
    'People whom the follows of the viewer follow, then authors of casts that are talked about or new. Channels ' +
    'with the most casts of 30 days, then with the most followers. Without a viewer, what everybody may like.',
  tags: SCREENS,
  limit: 'search',
  query: { viewer_fid: viewerParam },
  reply: DiscoverScreenReply,
  cost: { cpu: 'large', rows: 200 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer }) => {
    const trending = await trendingFeed.answer(context, {
      viewer,
      query: {
        timeWindow: '24h',
        provider: 'neynar',
        limit: 10,
      },
    })
    const casts = trending.casts.slice(0, CASTS)
    const [users, channels] = await Promise.all([
      usersFor(context, viewer, trending.casts),
      channelsFor(context, viewer),
    ])
    return { users, channels, casts }
  },
})

async function usersFor(
  context: AppContext,
  viewer: Viewer,
  trending: readonly Cast[],
): Promise<User[]> {
  const fid = viewer.viewer
  const limit = { limit: CANDIDATES }
  const [suggested, newest] = await Promise.all([
    fid === undefined ? [] : suggestedFollows.answer(context, { viewer, query: { fid, ...limit } }),
    newestFeed.answer(context, { viewer, query: limit }),
  ])
  const known = 'users' in suggested ? suggested.users : []
  const authors = [...trending, ...newest.casts].map(({ author }) => author.fid)
  const fids = new Set([...known.map((user) => user.fid), ...authors])
  if (fid !== undefined) fids.delete(fid)
  const recommended = await recommendedTo(context, viewer, [...fids], (one) => one)
  const found = await usersOf(context, viewer, recommended.slice(0, 2 * CANDIDATES))
  return found.filter((user) => !user.viewer_context?.following).slice(0, USERS)
}

async function channelsFor(context: AppContext, viewer: Viewer): Promise<Channel[]> {
  const candidates = await liveliestChannels(context, viewer)
  return candidates.filter((channel) => !channel.viewer_context?.following).slice(0, CHANNELS)
}

/** Those with the most casts of 30 days, then those with the most followers. */
export async function liveliestChannels(context: AppContext, viewer: Viewer): Promise<Channel[]> {
  const [trending, all] = await Promise.all([
    trendingChannels.answer(context, { viewer, query: { timeWindow: '30d', limit: CANDIDATES } }),
    allChannels.answer(context, { viewer, query: { limit: CANDIDATES } }),
  ])
  const candidates = [...trending.channels.map(({ channel }) => channel), ...all.channels]
  return [...new Map(candidates.map((channel) => [channel.id, channel])).values()]
}
