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
import { urlTargetKey } from '../protocol/slots.ts'
import {
  type AuthorPage,
  type AuthorPosition,
  type FeedItem,
  LAST_DOC,
  type PlaceRules,
} from '../storage/reads/app-feeds.ts'
import type { Onlooker } from '../storage/reads/app-hidden.ts'
import { pointsOf, TREND_GENERATIONS, TREND_SIZE, type TrendList } from '../views/ranking.ts'
import type { AppContext } from './context.ts'
import { cursorParam, cursorsParam, nextOf, partsOf } from './cursor.ts'
import { fidOfKey, nameOfKey } from './keys.ts'
import { viewRoute } from './kit.ts'
import { moderatorsOf } from './objects/channel-objects.ts'
import { hydrate } from './objects/hydrate.ts'
import { onlookerOf } from './objects/onlooker.ts'
import { castsOf, pageOf } from './pages.ts'
import {
  channelIdParam,
  fidsParam,
  flagParam,
  invalid,
  listParam,
  missing,
  parentUrlParam,
  parentUrlsParam,
  viewerParam,
} from './params.ts'
import type { Ranked, TrendingWindow } from './ranking.ts'
import { type Cast, CastsPageReply, CastsReply } from './schemas.ts'

const FEEDS = [{ name: 'Feeds', description: 'Lists of hydrated casts, the newest first.' }]

const MAX_FIDS = 100
const MAX_PLACES = 10
/** Followed channels of one feed. */
const MAX_FOLLOWED_PLACES = 25
/** Newest casts of a user among which the popular ones are. */
const POPULAR_OF = 1_000
const MAX_POPULAR = 10
/** How often a feed is read on when recasts that it leaves out made a page short. */
const MAX_READS = 3
/** So many times the items of a page are read at first: most pages are full although some are left out. */
const READ_RESERVE = 1.25

type CastsPage = { casts: Cast[]; next: { cursor: string | null } }

/** Routes of lists of casts. */
export function feedRoutes(context: AppContext): Route[] {
  const { storage } = context
  const get = viewRoute(context)
  return [
    get(
      {
        path: '/feed/following',
        summary: 'Casts and recasts of the accounts that a user follows',
        description:
          'A cast comes once, at the place of its first recast by somebody followed, or at its own.',
        tags: FEEDS,
        query: {
          fid: fidParam,
          with_recasts: flagParam(true, 'Whether recasts are part of it.'),
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('following', ['n']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 100 },
      },
      ({ query, caller }) =>
        followingPage(context, onlookerOf(caller, query.viewerFid), {
          ...query,
          before: query.cursor?.[0],
        }),
    ),
    get(
      {
        path: '/feed',
        summary: 'A feed by filter',
        description:
          'The same as the feeds of their own: following, by users, by parent url, by channel, or trending.',
        tags: FEEDS,
        query: {
          feed_type: withDefault(
            described(wordParam(['following', 'filter']), 'Which feed.'),
            'following',
          ) as Param<'following' | 'filter'>,
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
          members_only: flagParam(
            true,
            'Of a channel: only casts of accounts that may cast there.',
          ),
          with_recasts: flagParam(true, 'Whether recasts are part of it.'),
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorsParam(['following', 'fids', 'place', 'trending'], ['n']),
        },
        reply: CastsPageReply,
        errors: ['not_supported'],
        cost: { cpu: 'medium', rows: 100 },
      },
      async ({ query, caller }) => {
        const onlooker = onlookerOf(caller, query.viewerFid)
        const { limit, withRecasts } = query
        if (query.feedType === 'following') {
          const fid = given(query.fid, 'fid')
          const before = partsOf(query.cursor, 'following')?.[0]
          return followingPage(context, onlooker, { fid, withRecasts, limit, before })
        }
        switch (given(query.filterType, 'filter_type')) {
          case 'fids': {
            const shown = await storage.appViews.shownAmong(onlooker, given(query.fids, 'fids'))
            const fids = [...shown]
            return accountsPage(context, onlooker, {
              list: 'fids',
              of: { fids },
              read: (before, most) =>
                storage.appViews.byAuthors(fids, { withRecasts, before, limit: most }),
              limit,
              before: partsOf(query.cursor, 'fids')?.[0],
            })
          }
          case 'parent_url': {
            const places = await placesOf(context, [given(query.parentUrl, 'parent_url')])
            const before = partsOf(query.cursor, 'place')?.[0]
            return placePage(context, onlooker, { places, limit, before })
          }
          case 'channel_id': {
            const ids = [given(query.channelId, 'channel_id')]
            const places = await placesOfChannels(context, ids, query)
            const before = partsOf(query.cursor, 'place')?.[0]
            return placePage(context, onlooker, { places, limit, before })
          }
          case 'global_trending':
            return trendingPage(context, onlooker, '24h', {
              limit,
              cursor: partsOf(query.cursor, 'trending')?.[0],
            })
          default:
            throw new Rejection('not_supported', `filter_type ${query.filterType} is not supported`)
        }
      },
    ),
    get(
      {
        path: '/feed/user/casts',
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
          limit: limitParam({ default: 25, max: 150 }),
          cursor: cursorParam('userCasts', ['n', 'h']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 150 },
      },
      async ({ query, caller }) => {
        const { fid, limit } = query
        const url = query.parentUrl ?? (await urlOfChannel(context, query.channelId))
        const isNowhere = query.channelId !== undefined && url === undefined
        const [place] = url === undefined ? [] : await placesOf(context, [url])
        if (isNowhere || (url !== undefined && !place)) return NOTHING
        const signers =
          query.appFid === undefined ? undefined : await context.keyApps.keysOf(fid, query.appFid)
        const page = await storage.appViews.byAuthor({
          fid,
          after: positionOf(query.cursor),
          limit,
          only: query.includeReplies ? undefined : 'cast',
          place: place?.place,
          signers,
        })
        const onlooker = onlookerOf(caller, query.viewerFid)
        return authorPage(context, onlooker, 'userCasts', page)
      },
    ),
    get(
      {
        path: '/feed/user/replies_and_recasts',
        summary: 'The replies and recasts of a user',
        description: 'Replies by their time, recast casts by the time of the recast; newest first.',
        tags: FEEDS,
        query: {
          fid: fidParam,
          filter: withDefault(
            described(wordParam(['all', 'replies', 'recasts']), 'Which of them.'),
            'all',
          ) as Param<'all' | 'replies' | 'recasts'>,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 50 }),
          cursor: cursorParam('userRepliesAndRecasts', ['n', 'h']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 50 },
      },
      async ({ query, caller }) => {
        const { fid, filter, limit } = query
        const list = { fid, limit, after: positionOf(query.cursor) }
        const pages = await Promise.all([
          ...(filter === 'recasts' ? [] : [storage.appViews.byAuthor({ ...list, only: 'reply' })]),
          ...(filter === 'replies' ? [] : [storage.appViews.recastsBy(list)]),
        ])
        const onlooker = onlookerOf(caller, query.viewerFid)
        return authorPage(
          context,
          onlooker,
          'userRepliesAndRecasts',
          merged(pages, limit),
          filter === 'all',
        )
      },
    ),
    get(
      {
        path: '/feed/user/popular',
        summary: 'The most popular casts of a user',
        description: 'Ten with the most reactions and replies, of the newest 1,000.',
        tags: FEEDS,
        query: { fid: fidParam, viewer_fid: viewerParam },
        reply: CastsReply,
        cost: { cpu: 'medium', rows: POPULAR_OF },
      },
      async ({ query, caller }) => {
        const page = await storage.appViews.byAuthor({
          fid: query.fid,
          after: undefined,
          limit: POPULAR_OF,
        })
        const counts = await storage.views.counts(page.items.map(({ key }) => key))
        const points = new Map(counts.map((count) => [nameOfKey(count.key), pointsOf(count)]))
        const pointsOfItem = ({ key }: FeedItem) => points.get(nameOfKey(key)) ?? 0
        const best = page.items.toSorted((a, b) => pointsOfItem(b) - pointsOfItem(a))
        const keys = best.slice(0, MAX_POPULAR).map(({ key }) => key)
        const onlooker = onlookerOf(caller, query.viewerFid)
        return { casts: await castsOf(context, onlooker, keys) }
      },
    ),
    get(
      {
        path: '/feed/channels',
        summary: 'What was cast in channels',
        description:
          'The newest first, without casts that moderators hid and accounts that they banned. Unknown channels add nothing.',
        tags: FEEDS,
        query: {
          channel_ids: listParam(channelIdParam, { max: MAX_PLACES }),
          with_recasts: flagParam(true, 'Means nothing here.'),
          with_replies: flagParam(false, 'Whether replies are part of it.'),
          members_only: flagParam(true, 'Only casts of accounts that may cast in the channel.'),
          fids: optional(fidsParam(MAX_PLACES)),
          should_moderate: flagParam(false, 'Only what the owner or a moderator likes.'),
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('place', ['n']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 100 },
      },
      async ({ query, caller }) => {
        const places = await placesOfChannels(context, query.channelIds, query)
        const onlooker = onlookerOf(caller, query.viewerFid)
        return placePage(context, onlooker, { ...query, places, before: query.cursor?.[0] })
      },
    ),
    get(
      {
        path: '/feed/parent_urls',
        summary: 'What was cast below parent urls',
        description: 'The newest first. Nothing is moderated.',
        tags: FEEDS,
        query: {
          parent_urls: parentUrlsParam(MAX_PLACES),
          with_recasts: flagParam(true, 'Means nothing here.'),
          with_replies: flagParam(false, 'Whether replies are part of it.'),
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('place', ['n']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 100 },
      },
      async ({ query, caller }) => {
        const places = await placesOf(context, query.parentUrls)
        const onlooker = onlookerOf(caller, query.viewerFid)
        return placePage(context, onlooker, { ...query, places, before: query.cursor?.[0] })
      },
    ),
    get(
      {
        path: '/feed/newest',
        summary: 'What everybody casts',
        description: 'Casts that begin threads, the newest first.',
        tags: FEEDS,
        query: {
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('newest', ['n']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 100 },
      },
      async ({ query, caller }) => {
        const { limit } = query
        const onlooker = onlookerOf(caller, query.viewerFid)
        const before = query.cursor?.[0] ?? LAST_DOC
        const page = await storage.appViews.newest({ onlooker, before, limit })
        const keys = page.items.map(({ key }) => key)
        const next = nextOf('newest', page.next === undefined ? undefined : [page.next])
        return { casts: await castsOf(context, onlooker, keys), next }
      },
    ),
    get(
      {
        path: '/feed/followed_channels',
        summary: 'What was cast in the channels that a user follows',
        description: `Of the ${MAX_FOLLOWED_PLACES} that were followed last; the newest cast first.`,
        tags: FEEDS,
        query: {
          fid: fidParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('place', ['n']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 250 },
      },
      async ({ query, caller }) => {
        const followed = await storage.channels.followedBy(
          query.fid,
          undefined,
          MAX_FOLLOWED_PLACES,
        )
        const ids = followed.map(({ id }) => id)
        const places = await placesOfChannels(context, ids, { membersOnly: true })
        const onlooker = onlookerOf(caller, query.viewerFid)
        return placePage(context, onlooker, { ...query, places, before: query.cursor?.[0] })
      },
    ),
    get(
      {
        path: '/feed/trending',
        summary: 'Casts with the most reactions and replies now',
        description:
          'Ranked by reactions and replies, weighted by the score of the author and fading with time; computed every minute.',
        tags: FEEDS,
        query: {
          time_window: withDefault(
            described(
              wordParam(['1h', '6h', '12h', '24h', '7d']),
              'Since when casts count; `7d` with a channel or a parent url only.',
            ),
            '24h',
          ) as Param<TrendingWindow>,
          channel_id: optional(channelIdParam),
          parent_url: optional(parentUrlParam),
          provider: providerParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 10, max: 10 }),
          cursor: cursorParam('trending', ['n']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'medium', rows: 10 },
      },
      async ({ query, caller }) => {
        const { timeWindow, limit } = query
        const cursor = query.cursor?.[0]
        const onlooker = onlookerOf(caller, query.viewerFid)
        if (query.parentUrl === undefined && query.channelId === undefined) {
          if (timeWindow === '7d')
            throw invalid('time_window', '7d needs a channel or a parent url')
          return trendingPage(context, onlooker, timeWindow, { limit, cursor })
        }
        const url = query.parentUrl ?? (await urlOfChannel(context, query.channelId))
        const [place] = url === undefined ? [] : await placesOf(context, [url])
        if (!place) return NOTHING
        const items = await context.ranking.trendingIn(place.place, timeWindow)
        return rankedPage(context, onlooker, items, { list: 'trending', limit, from: cursor })
      },
    ),
    get(
      {
        path: '/feed/for_you',
        summary: 'Casts that a user may like',
        description:
          'Ranked: trending casts, and casts that followed accounts wrote, liked or recast in the last day. Without own casts and casts that the user likes. Computed every five minutes.',
        tags: FEEDS,
        limit: 'search',
        query: {
          fid: fidParam,
          provider: providerParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 50 }),
          cursor: cursorParam('forYou', ['n']),
        },
        reply: CastsPageReply,
        cost: { cpu: 'large', rows: 50 },
      },
      async ({ query, caller }) => {
        const { fid, limit } = query
        const onlooker = onlookerOf(caller, query.viewerFid ?? fid)
        const items = await context.ranking.forUser(fid)
        return rankedPage(context, onlooker, items, {
          list: 'forYou',
          limit,
          from: query.cursor?.[0],
        })
      },
    ),
  ]
}

const providerParam = withDefault(
  described(wordParam(['neynar']), 'The ranking of this server, under the name that clients send.'),
  'neynar',
)

/** Casts of a window, from the stored lists: a cursor is a generation and a rank. */
async function trendingPage(
  context: AppContext,
  onlooker: Onlooker,
  window: TrendList,
  { limit, cursor = 0 }: { limit: number; cursor: number | undefined },
): Promise<CastsPage> {
  const { views, appViews } = context.storage
  const newest = await views.trendGeneration()
  const asked = Math.floor(cursor / RANKS)
  const isKept = asked > Math.max(0, newest - TREND_GENERATIONS) && asked <= newest
  const generation = isKept ? asked : newest
  const after = cursor % RANKS
  const rows = await appViews.trend(generation, window, limit + 1, { after, onlooker })
  const { items, last } = pageOf(rows, limit)
  const keys = items.map(({ key }) => key)
  const casts = await castsOf(context, onlooker, keys)
  return { casts, next: nextOf('trending', last && [generation * RANKS + last.rank]) }
}

/** More than a stored list has ranks. */
const RANKS = 2 * TREND_SIZE

/** A page of a ranked list, whose cursor is a rank. */
async function rankedPage(
  context: AppContext,
  onlooker: Onlooker,
  items: readonly Ranked[],
  {
    list,
    limit,
    from = 0,
  }: { list: 'trending' | 'forYou'; limit: number; from: number | undefined },
): Promise<CastsPage> {
  const fids = items.map(({ fid }) => fid)
  const visible = await context.storage.appViews.shownAmong(onlooker, fids)
  const shown = items.filter(({ fid }) => visible.has(fid))
  const end = from + limit
  const keys = shown.slice(from, end).map(({ key }) => key)
  const casts = await castsOf(context, onlooker, keys)
  return { casts, next: nextOf(list, end < shown.length ? [end] : undefined) }
}

const NOTHING: CastsPage = { casts: [], next: { cursor: null } }

/** A parameter that one kind of feed needs. */
function given<T>(value: T | undefined, field: string): T {
  if (value !== undefined) return value
  throw missing(field)
}

async function followingPage(
  context: AppContext,
  onlooker: Onlooker,
  {
    fid,
    withRecasts,
    limit,
    before,
  }: { fid: number; withRecasts: boolean; limit: number; before: number | undefined },
): Promise<CastsPage> {
  return accountsPage(context, onlooker, {
    list: 'following',
    of: { follower: fid },
    read: (from, most) =>
      context.storage.appViews.following({
        fid,
        withRecasts,
        onlooker,
        before: from,
        limit: most,
      }),
    limit,
    before,
  })
}

type AccountsFeed = {
  readonly list: 'following' | 'fids'
  readonly of: { readonly follower: number } | { readonly fids: readonly number[] }
  readonly read: (before: number, most: number) => Promise<FeedItem[]>
  readonly limit: number
  readonly before: number | undefined
}

/** A feed of what accounts have cast and recast. A cast comes once, at its first place. */
async function accountsPage(
  context: AppContext,
  onlooker: Onlooker,
  { list, of, read, limit, before }: AccountsFeed,
): Promise<CastsPage> {
  const kept: FeedItem[] = []
  let next = before ?? LAST_DOC
  let isMore = true
  const most = Math.ceil(limit * READ_RESERVE)
  for (let reads = 0; reads < MAX_READS && isMore && kept.length < limit; reads++) {
    const found = await read(next, most + 1)
    const dropped = await context.storage.appViews.droppedRecasts(of, onlooker, found)
    isMore = found.length > most
    for (const item of found.slice(0, most)) {
      const isKept = !dropped.has(item.doc)
      if (isKept && kept.length === limit) {
        isMore = true
        break
      }
      if (isKept) kept.push(item)
      next = item.doc
    }
  }
  const casts = await castsOf(
    context,
    onlooker,
    kept.map(({ key }) => key),
  )
  return { casts, next: nextOf(list, isMore ? [next] : undefined) }
}

/** The places of parent urls; urls that no cast has are missing. */
async function placesOf(
  { storage }: AppContext,
  urls: readonly string[],
): Promise<{ place: number }[]> {
  const places = await storage.appViews.places([...new Set(urls)].map(urlTargetKey))
  return places.map(({ id }) => ({ place: id }))
}

async function urlOfChannel(
  { channelCache }: AppContext,
  id: string | undefined,
): Promise<string | undefined> {
  if (id === undefined) return undefined
  return (await channelCache.refresh()).byId.get(id)?.url
}

/** The places of channels with the rules of each. */
async function placesOfChannels(
  { storage, channelCache }: AppContext,
  ids: readonly string[],
  { membersOnly, shouldModerate = false }: { membersOnly: boolean; shouldModerate?: boolean },
): Promise<PlaceRules[]> {
  const { byId } = await channelCache.refresh()
  const channels = [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
  const targets = channels.map(({ url }) => urlTargetKey(url))
  const found = await storage.appViews.places(targets)
  const places = new Map(found.map(({ id, target }) => [nameOfKey(target), id]))
  return channels.flatMap((channel, i) => {
    const place = places.get(nameOfKey(targets[i]!))
    if (place === undefined) return []
    return {
      place,
      channelId: channel.id,
      membersOnly: membersOnly && channel.public_casting === 0,
      ...(shouldModerate && { likedBy: moderatorsOf(channel) }),
    }
  })
}

async function placePage(
  context: AppContext,
  onlooker: Onlooker,
  {
    places,
    withReplies = false,
    fids,
    limit,
    before = LAST_DOC,
  }: {
    places: readonly PlaceRules[]
    withReplies?: boolean
    fids?: readonly number[] | undefined
    limit: number
    before: number | undefined
  },
): Promise<CastsPage> {
  const { appViews } = context.storage
  const page = await appViews.byPlaces({ places, withReplies, fids, onlooker, before, limit })
  const casts = await castsOf(
    context,
    onlooker,
    page.items.map(({ key }) => key),
  )
  return { casts, next: nextOf('place', page.next === undefined ? undefined : [page.next]) }
}

const positionOf = (
  cursor: readonly [number, Uint8Array] | undefined,
): AuthorPosition | undefined => cursor && { timestamp: cursor[0], hash: cursor[1] }

/** Newest first. */
const byPosition = (a: AuthorPosition, b: AuthorPosition): number =>
  b.timestamp - a.timestamp || Buffer.compare(b.hash, a.hash)

/** One list of several. Nothing older than where one of them goes on is part of it. */
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
  onlooker: Onlooker,
  list: 'userCasts' | 'userRepliesAndRecasts',
  { items, next }: AuthorPage,
  hasReplies = false,
): Promise<CastsPage> {
  const found = await hydrate(context, onlooker, { casts: items.map(({ key }) => key) })
  const casts = items.flatMap(({ key, kind, fid }) => {
    const cast = found.cast(key)
    // A reply that its author recast is on the list already, as the reply.
    const isRepeated = kind === 3 && fidOfKey(key) === fid && cast?.parent_hash !== null
    return cast && !(isRepeated && hasReplies) ? [cast] : []
  })
  return { casts, next: nextOf(list, next && [next.timestamp, next.hash]) }
}
