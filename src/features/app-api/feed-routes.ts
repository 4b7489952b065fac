import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { fidOfKey } from '../../kernel/app-api/keys.ts'
import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import {
  type CastsPage,
  castsOf,
  castsPage,
  NO_CASTS,
  pageOf,
  recommendedTo,
  sliceOf,
  visibleTo,
} from '../../kernel/app-api/pages.ts'
import {
  channelIdParam,
  choiceParam,
  flagParam,
  invalid,
  missing,
  parentUrlParam,
  parentUrlsParam,
  viewerParam,
} from '../../kernel/app-api/params.ts'
import { placeOf, placesOf, placesOfChannels } from '../../kernel/app-api/places.ts'
import { pointsOfCasts, type Ranked } from '../../kernel/app-api/ranking.ts'
import { CastsPageReply, CastsReply } from '../../kernel/app-api/schemas.ts'
import {
  described,
  fidParam,
  fidsParam,
  listParam,
  optional,
  wordParam,
} from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import {
  type AuthorPage,
  type AuthorPosition,
  type FeedItem,
  type FollowingQuery,
  LAST_DOC,
  type PlaceFeed,
} from '../../kernel/storage/reads/app-feeds.ts'
import { TREND_GENERATIONS, TREND_SIZE, type TrendList } from '../../kernel/views/ranking.ts'
import { channelRows } from '../channels/port.ts'

const FEEDS = [{ name: 'Feeds', description: 'Lists of hydrated casts, the newest first.' }]

const MAX_FIDS = 100
const MAX_PLACES = 10
/** Followed channels of one feed. */
const MAX_FOLLOWED_PLACES = 25
/** The newest casts of a user, of which the popular ones are chosen. */
const POPULAR_OF = 1_000
const MAX_POPULAR = 10
/** Reads of one page, when the recasts that are left out made it short. */
const MAX_READS = 3
/** The first read is larger than the page by this factor, so that most pages are full after it. */
const READ_RESERVE = 1.25

const withRecasts = flagParam(true, 'Whether recasts are part of it.')
const recastsIgnored = flagParam(true, 'Means nothing here.')
const withReplies = flagParam(false, 'Whether replies are part of it.')
const provider = choiceParam(
  ['neynar'],
  'The ranking of this server, under the name that clients send.',
)

/** Routes of lists of casts. */
export const feedRoutes = (context: AppContext): Route[] =>
  bind(context, [
    followingFeed,
    feed,
    userCasts,
    repliesAndRecasts,
    popularCasts,
    channelFeed,
    parentUrlFeed,
    newestFeed,
    followedChannelsFeed,
    trendingFeed,
    forYouFeed,
  ])

const followingFeed = route('GET /v2/farcaster/feed/following', {
  callers: 'app',
  summary: 'Casts and recasts of the accounts that a user follows',
  description:
    'A cast comes once, at the place of its first recast by somebody followed, or at its own.',
  tags: FEEDS,
  query: {
    fid: fidParam,
    with_recasts: withRecasts,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n'),
  },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: (context, { viewer, query }) =>
    followingPage(context, viewer, { ...query, before: query.cursor?.[0] }),
})

const feed = route('GET /v2/farcaster/feed', {
  callers: 'app',
  summary: 'A feed by filter',
  description:
    'The same as the feeds of their own: following, by users, by parent url, by channel, or trending.',
  tags: FEEDS,
  query: {
    feed_type: choiceParam(['following', 'filter'], 'Which feed.'),
    filter_type: optional(
      described(
        wordParam([
          'fids',
          'parent_url',
          'channel_id',
          'embed_url',
          'embed_types',
          'global_trending',
        ]),
        'By what a feed of the type `filter` is chosen.',
      ),
    ),
    fid: optional(fidParam),
    fids: optional(fidsParam(MAX_FIDS)),
    parent_url: optional(parentUrlParam),
    channel_id: optional(channelIdParam),
    members_only: flagParam(true, 'Of a channel: only casts of accounts that may cast there.'),
    with_recasts: withRecasts,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n'),
  },
  reply: CastsPageReply,
  errors: ['not_supported'],
  cost: { cpu: 'medium', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const page = { ...query, before: query.cursor?.[0] }
    if (query.feedType === 'following') {
      return followingPage(context, viewer, { ...page, fid: given(query.fid, 'fid') })
    }
    switch (given(query.filterType, 'filter_type')) {
      case 'fids':
        return authorsPage(context, viewer, { ...page, fids: given(query.fids, 'fids') })
      case 'parent_url': {
        const found = await placesOf(context, [given(query.parentUrl, 'parent_url')])
        const places = found.map((place) => ({ place }))
        return placePage(context, viewer, { ...page, places, fids: undefined })
      }
      case 'channel_id': {
        const ids = [given(query.channelId, 'channel_id')]
        const places = await placesOfChannels(context, ids, query)
        return placePage(context, viewer, { ...page, places, fids: undefined })
      }
      case 'global_trending':
        return trendingPage(context, viewer, '24h', query.limit, query.cursor?.[0])
      default:
        throw new Rejection('not_supported', `filter_type ${query.filterType} is not supported`)
    }
  },
})

export const userCasts = route('GET /v2/farcaster/feed/user/casts', {
  callers: 'app',
  summary: 'The casts of a user',
  description: 'The newest first; all of them, or those of one app, parent url or channel.',
  tags: FEEDS,
  query: {
    fid: fidParam,
    app_fid: optional(described(fidParam, 'Only casts signed by a key of this app.')),
    include_replies: flagParam(true, 'Whether replies to casts are part of it.'),
    parent_url: optional(parentUrlParam),
    channel_id: optional(channelIdParam),
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 150 }, 'n', 'h'),
  },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 150 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const { fid, appFid, limit } = query
    const place = await placeOf(context, query)
    if (place === null) return NO_CASTS
    const page = await context.storage.appViews.byAuthor({
      fid,
      after: positionOf(query.cursor),
      limit,
      only: query.includeReplies ? undefined : 'cast',
      place,
      signers: appFid === undefined ? undefined : await context.keyApps.keysOf(fid, appFid),
    })
    return authorPage(context, viewer, page)
  },
})

export const repliesAndRecasts = route('GET /v2/farcaster/feed/user/replies_and_recasts', {
  callers: 'app',
  summary: 'The replies and recasts of a user',
  description: 'Replies by their time, recast casts by the time of the recast; newest first.',
  tags: FEEDS,
  query: {
    fid: fidParam,
    filter: choiceParam(['all', 'replies', 'recasts'], 'Which of them.'),
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 50 }, 'n', 'h'),
  },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 50 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, filter, limit, cursor } }) => {
    const { appViews } = context.storage
    const list = { fid, limit, after: positionOf(cursor) }
    const pages = await Promise.all([
      ...(filter === 'recasts' ? [] : [appViews.byAuthor({ ...list, only: 'reply' })]),
      ...(filter === 'replies' ? [] : [appViews.recastsBy(list)]),
    ])
    return authorPage(context, viewer, merged(pages, limit), filter === 'all')
  },
})

const popularCasts = route('GET /v2/farcaster/feed/user/popular', {
  callers: 'app',
  summary: 'The most popular casts of a user',
  description: 'Ten with the most reactions and replies, of the newest 1,000.',
  tags: FEEDS,
  query: { fid: fidParam, viewer_fid: viewerParam },
  reply: CastsReply,
  cost: { cpu: 'medium', rows: POPULAR_OF },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid } }) => {
    const newest = { fid, after: undefined, limit: POPULAR_OF }
    const page = await context.storage.appViews.byAuthor(newest)
    const keys = page.items.map(({ key }) => key)
    const points = await pointsOfCasts(context, keys)
    const best = keys.toSorted((a, b) => points(b) - points(a)).slice(0, MAX_POPULAR)
    return { casts: await castsOf(context, viewer, best) }
  },
})

export const channelFeed = route('GET /v2/farcaster/feed/channels', {
  callers: 'app',
  summary: 'What was cast in channels',
  description:
    'The newest first, without casts that moderators hid and accounts that they banned. Unknown channels add nothing.',
  tags: FEEDS,
  query: {
    channel_ids: listParam(channelIdParam, { max: MAX_PLACES }),
    with_recasts: recastsIgnored,
    with_replies: withReplies,
    members_only: flagParam(true, 'Only casts of accounts that may cast in the channel.'),
    fids: optional(fidsParam(MAX_PLACES)),
    should_moderate: flagParam(false, 'Only what the owner or a moderator likes.'),
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n'),
  },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const places = await placesOfChannels(context, query.channelIds, query)
    return placePage(context, viewer, { ...query, places, before: query.cursor?.[0] })
  },
})

const parentUrlFeed = route('GET /v2/farcaster/feed/parent_urls', {
  callers: 'app',
  summary: 'What was cast below parent urls',
  description: 'The newest first. Nothing is moderated.',
  tags: FEEDS,
  query: {
    parent_urls: parentUrlsParam(MAX_PLACES),
    with_recasts: recastsIgnored,
    with_replies: withReplies,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n'),
  },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const found = await placesOf(context, query.parentUrls)
    const places = found.map((place) => ({ place }))
    return placePage(context, viewer, { ...query, places, before: query.cursor?.[0] })
  },
})

export const newestFeed = route('GET /v2/farcaster/feed/newest', {
  callers: 'app',
  summary: 'What everybody casts',
  description: 'Casts that begin threads, the newest first.',
  tags: FEEDS,
  query: { viewer_fid: viewerParam, ...paged({ default: 25, max: 100 }, 'n') },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { limit, cursor: [before] = [LAST_DOC] } }) => {
    const page = await context.storage.appViews.newest({ viewer, before, limit })
    return castsPage(context, viewer, page)
  },
})

const followedChannelsFeed = route('GET /v2/farcaster/feed/followed_channels', {
  callers: 'app',
  summary: 'What was cast in the channels that a user follows',
  description: `Of the ${MAX_FOLLOWED_PLACES} that were followed last; the newest cast first.`,
  tags: FEEDS,
  query: { fid: fidParam, viewer_fid: viewerParam, ...paged({ default: 25, max: 100 }, 'n') },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 250 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor } }) => {
    const channels = context.storage.of(channelRows)
    const followed = await channels.followedBy(fid, undefined, MAX_FOLLOWED_PLACES)
    const ids = followed.map(({ id }) => id)
    const places = await placesOfChannels(context, ids, { membersOnly: true })
    return placePage(context, viewer, { places, limit, before: cursor?.[0] })
  },
})

export const trendingFeed = route('GET /v2/farcaster/feed/trending', {
  callers: 'app',
  summary: 'Casts with the most reactions and replies now',
  description:
    'Ranked by reactions and replies, weighted by the score of the author and fading with time; computed every minute.',
  tags: FEEDS,
  query: {
    time_window: choiceParam(
      ['1h', '6h', '12h', '24h', '7d'],
      'Since when casts count; `7d` with a channel or a parent url only.',
      '24h',
    ),
    channel_id: optional(channelIdParam),
    parent_url: optional(parentUrlParam),
    provider,
    viewer_fid: viewerParam,
    ...paged({ default: 10, max: 10 }, 'n'),
  },
  reply: CastsPageReply,
  cost: { cpu: 'medium', rows: 10 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const { timeWindow, limit, cursor } = query
    const place = await placeOf(context, query)
    if (place === null) return NO_CASTS
    if (place !== undefined) {
      const items = await context.ranking.trendingIn(context.storage, place, timeWindow)
      return rankedPage(context, viewer, items, limit, cursor?.[0])
    }
    if (timeWindow === '7d') throw invalid('time_window', '7d needs a channel or a parent url')
    return trendingPage(context, viewer, timeWindow, limit, cursor?.[0])
  },
})

const forYouFeed = route('GET /v2/farcaster/feed/for_you', {
  callers: 'app',
  summary: 'Casts that a user may like',
  description:
    'Ranked: trending casts, and casts that followed accounts wrote, liked or recast in the last day. Without own casts and casts that the user likes. Computed every five minutes.',
  tags: FEEDS,
  limit: 'search',
  query: {
    fid: fidParam,
    provider,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 50 }, 'n'),
  },
  reply: CastsPageReply,
  cost: { cpu: 'large', rows: 50 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor } }) => {
    const items = await context.ranking.forUser(context.storage, fid)
    const shownTo = { ...viewer, viewer: viewer.viewer ?? fid }
    return rankedPage(context, shownTo, items, limit, cursor?.[0])
  },
})

/** A page of the stored trending list. A cursor holds the generation of the list and a rank. */
async function trendingPage(
  context: AppContext,
  viewer: Viewer,
  window: TrendList,
  limit: number,
  cursor = 0,
): Promise<CastsPage> {
  const { views, appViews } = context.storage
  const newest = await views.trendGeneration()
  const asked = Math.floor(cursor / RANKS)
  const isStored = asked > Math.max(0, newest - TREND_GENERATIONS) && asked <= newest
  const generation = isStored ? asked : newest
  const after = { after: cursor % RANKS, viewer }
  const rows = await appViews.trend(generation, window, limit + 1, after)
  const { items, last } = pageOf(rows, limit)
  return castsPage(context, viewer, { items, next: last && generation * RANKS + last.rank })
}

/** More than a stored list has ranks. */
const RANKS = 2 * TREND_SIZE

/** A page of a ranked list, whose cursor is a rank. */
async function rankedPage(
  context: AppContext,
  viewer: Viewer,
  items: readonly Ranked[],
  limit: number,
  from = 0,
): Promise<CastsPage> {
  const shown = await recommendedTo(context, viewer, items, ({ fid }) => fid)
  return castsPage(context, viewer, sliceOf(shown, from, limit))
}

/** A parameter that one kind of feed needs. */
function given<T>(value: T | undefined, field: string): T {
  if (value !== undefined) return value
  throw missing(field)
}

type PageRequest<Q> = Omit<Q, 'viewer' | 'before'> & { readonly before: number | undefined }

const followingPage = (
  context: AppContext,
  viewer: Viewer,
  { fid, withRecasts, limit, before }: PageRequest<FollowingQuery>,
): Promise<CastsPage> =>
  accountsPage(context, viewer, { follower: fid }, { limit, before }, (page) =>
    context.storage.appViews.following({ fid, withRecasts, viewer, ...page }),
  )

/** A page of the casts and recasts of some accounts. */
export async function authorsPage(
  context: AppContext,
  viewer: Viewer,
  query: PageRequest<Omit<FollowingQuery, 'fid'>> & { readonly fids: readonly number[] },
): Promise<CastsPage> {
  const { withRecasts } = query
  const fids = await visibleTo(context, viewer, [...new Set(query.fids)], (fid) => fid)
  return accountsPage(context, viewer, { fids }, query, (page) =>
    context.storage.appViews.byAuthors(fids, { withRecasts, ...page }),
  )
}

/** A page of the casts and recasts of accounts. A cast comes once, at its first place. */
async function accountsPage(
  context: AppContext,
  viewer: Viewer,
  accounts: { readonly follower: number } | { readonly fids: readonly number[] },
  { limit, before = LAST_DOC }: { limit: number; before: number | undefined },
  read: (page: { before: number; limit: number }) => Promise<FeedItem[]>,
): Promise<CastsPage> {
  const items: FeedItem[] = []
  let next = before
  let isMore = true
  const most = Math.ceil(limit * READ_RESERVE)
  for (let reads = 0; reads < MAX_READS && isMore && items.length < limit; reads++) {
    const found = await read({ before: next, limit: most + 1 })
    const dropped = await context.storage.appViews.droppedRecasts(accounts, viewer, found)
    isMore = found.length > most
    for (const item of found.slice(0, most)) {
      const isDropped = dropped.has(item.doc)
      if (!isDropped && items.length === limit) {
        isMore = true
        break
      }
      if (!isDropped) items.push(item)
      next = item.doc
    }
  }
  return castsPage(context, viewer, { items, next: isMore ? next : undefined })
}

async function placePage(
  context: AppContext,
  viewer: Viewer,
  query: PageRequest<Omit<PlaceFeed, 'withReplies'>> & { readonly withReplies?: boolean },
): Promise<CastsPage> {
  const { places, withReplies = false, fids, limit, before = LAST_DOC } = query
  const feed = { places, withReplies, fids, viewer, before, limit }
  return castsPage(
    context,
    viewer,
    await context.storage.appViews.byPlaces(feed),
    places.length > 0,
  )
}

const positionOf = (
  cursor: readonly [number, Uint8Array] | undefined,
): AuthorPosition | undefined => cursor && { timestamp: cursor[0], hash: cursor[1] }

/** Newest first. */
const byPosition = (a: AuthorPosition, b: AuthorPosition): number =>
  b.timestamp - a.timestamp || Buffer.compare(b.hash, a.hash)

/** Joins pages of several lists. The page ends where the first of them ends, unless it is full before. */
function merged(pages: readonly AuthorPage[], limit: number): AuthorPage {
  const ends = pages.flatMap(({ next }) => next ?? [])
  const [end] = ends.sort(byPosition)
  const items = pages
    .flatMap((page) => page.items)
    .sort(byPosition)
    .filter((item) => end === undefined || byPosition(item, end) <= 0)
  const shown = items.slice(0, limit)
  return { items: shown, next: shown.length < items.length ? shown.at(-1) : end }
}

async function authorPage(
  context: AppContext,
  viewer: Viewer,
  { items, next }: AuthorPage,
  hasReplies = false,
): Promise<CastsPage> {
  const found = await hydrate(context, viewer, { casts: items.map(({ key }) => key) })
  const casts = items.flatMap(({ key, kind, fid }) => {
    const cast = found.cast(key)
    // A reply that its author recast is on the list already, as the reply.
    const isRepeated = kind === 3 && fidOfKey(key) === fid && cast?.parent_hash !== null
    return cast && !(isRepeated && hasReplies) ? [cast] : []
  })
  return { casts, next: nextOf(next && [next.timestamp, next.hash]) }
}
