import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { type Hydrated, hydrate, timeOf } from '../../kernel/app-api/objects/hydrate.ts'
import { followerOf } from '../../kernel/app-api/pages.ts'
import { channelIdParam, parentUrlsParam, wordsParam } from '../../kernel/app-api/params.ts'
import { placesOf } from '../../kernel/app-api/places.ts'
import { type Notification, NotificationsReply, UnseenReply } from '../../kernel/app-api/schemas.ts'
import { described, fidParam, listParam, optional } from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { DAY_SECONDS, networkTime } from '../../kernel/protocol/time.ts'
import {
  bundleOf,
  type Notice,
  type NoticePosition,
  type NoticeQuery,
} from '../../kernel/storage/reads/app-notices.ts'
import {
  ALL_NOTICE_KINDS,
  NOTICE_GROUPS,
  type NoticeGroup,
  type NoticeKind,
  noticeKindOf,
} from '../../kernel/storage/views/notice-kinds.ts'
import { type AppSeen, appSeenRows } from './tables/app-seen.ts'
import { EVERY_APP } from './tables/hidden-accounts.ts'

const NOTIFICATIONS = [
  { name: 'Notifications', description: 'What others did about a user, the newest first.' },
]

/** Older notices are not served. */
const MAX_AGE_SECONDS = 60 * DAY_SECONDS
/** Rows of one page. */
const MAX_ROWS = 2_000
/** Rows that are read first: most pages need no more. */
const FIRST_ROWS = 200
/** People that a bundle shows. */
const MAX_PEOPLE = 25
const MAX_UNSEEN = 1_000
const MAX_PLACES = 10

const numbersOf = (kinds: readonly NoticeKind[]) => kinds.map(({ number }) => number)
const ALL_KINDS = numbersOf(ALL_NOTICE_KINDS)
const CAST_KINDS = numbersOf(ALL_NOTICE_KINDS.filter(({ bundle }) => bundle === 'cast'))

/** The kinds of these groups; all without any. */
export const kindsOf = (groups: readonly NoticeGroup[] | undefined): readonly number[] =>
  groups ? numbersOf(ALL_NOTICE_KINDS.filter(({ group }) => groups.includes(group))) : ALL_KINDS

/** Notices that are shown as one. */
type Bundle = { readonly rows: Notice[] }

const paging = paged({ default: 15, max: 25 }, 'n', 'n')
type Page = { readonly limit: number; readonly cursor?: readonly [number, number] | undefined }

const cost = { cpu: 'medium', rows: 100, decoded: MAX_UNSEEN } as const
const costInPlaces = { ...cost, decoded: MAX_ROWS + MAX_UNSEEN }
export const noticeTypeParam = optional(wordsParam(NOTICE_GROUPS, 'Only of these kinds.'))
const notifiedFid = described(fidParam, 'Who is notified.')

/** Routes of notifications. */
export const notificationRoutes = (context: AppContext): Route[] =>
  bind(context, [notifications, unseenNotifications, channelNotifications, parentUrlNotifications])

export const notifications = route('GET /v2/farcaster/notifications', {
  callers: 'app',
  summary: 'The notifications of a user',
  description:
    'Likes and recasts of one cast, and follows, are one notification on a page. Those of 60 days.',
  tags: NOTIFICATIONS,
  query: {
    fid: fidParam,
    type: noticeTypeParam,
    ...paging,
  },
  reply: NotificationsReply,
  cost,
  errors: [],
  from: VIEWS,
  handler: (context, { viewer, query }) => {
    return notificationsPage(context, viewer, { fid: query.fid, kinds: kindsOf(query.type) }, query)
  },
})

/** For a number beside a bell, which is asked for again and again. */
const unseenNotifications = route('GET /v2/farcaster/notifications/unseen', {
  callers: 'app',
  summary: 'How many notifications of a user are new',
  description:
    'Those after the time at which the user saw them last in this app (`/notifications/seen`), at most 1,000.',
  tags: NOTIFICATIONS,
  query: { fid: notifiedFid },
  reply: UnseenReply,
  cost: { cpu: 'small', decoded: MAX_UNSEEN },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer: { app }, query: { fid } }) => {
    const { wanted, seen } = await unseenBy(context, app, { fid, kinds: ALL_KINDS })
    const count = await context.storage.appViews.unseenCount(wanted, seen, MAX_UNSEEN)
    return { unseen_notifications_count: count }
  },
})

const channelNotifications = route('GET /v2/farcaster/notifications/channel', {
  callers: 'app',
  summary: 'Mentions, replies and quotes of a user in channels',
  description: 'The newest first.',
  tags: NOTIFICATIONS,
  query: {
    fid: notifiedFid,
    channel_ids: listParam(channelIdParam, { max: MAX_PLACES }),
    ...paging,
  },
  reply: NotificationsReply,
  cost: costInPlaces,
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const { byId } = await context.channelCache.refresh()
    const urls = query.channelIds.flatMap((id) => byId.get(id)?.url ?? [])
    const places = await placesOf(context, urls)
    return notificationsPage(context, viewer, { fid: query.fid, kinds: CAST_KINDS, places }, query)
  },
})

const parentUrlNotifications = route('GET /v2/farcaster/notifications/parent_url', {
  callers: 'app',
  summary: 'Mentions, replies and quotes of a user below parent urls',
  description: 'The newest first.',
  tags: NOTIFICATIONS,
  query: { fid: notifiedFid, parent_urls: parentUrlsParam(MAX_PLACES), ...paging },
  reply: NotificationsReply,
  cost: costInPlaces,
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const places = await placesOf(context, query.parentUrls)
    return notificationsPage(context, viewer, { fid: query.fid, kinds: CAST_KINDS, places }, query)
  },
})

/** A page of what others did about a user. */
export async function notificationsPage(
  context: AppContext,
  viewer: Viewer,
  about: Pick<NoticeQuery, 'fid' | 'kinds' | 'places' | 'actors'>,
  { limit, cursor }: Page,
) {
  const { wanted, seen } = await unseenBy(context, viewer.app, about)
  const [page, unseen] = await Promise.all([
    readBundles(context, wanted, limit, cursor && { at: cursor[0], id: cursor[1] }),
    context.storage.appViews.unseenCount(wanted, seen, MAX_UNSEEN),
  ])
  const rows = page.bundles.flatMap((bundle) => bundle.rows.slice(0, MAX_PEOPLE))
  const found = await hydrate(
    context,
    { ...viewer, viewer: about.fid },
    {
      casts: rows.flatMap(({ key }) => (key ? [key] : [])),
      users: rows.map(({ actor }) => actor),
    },
  )
  return {
    notifications: page.bundles.flatMap((bundle) => notificationOf(bundle, found, seen)),
    next: nextOf(page.next && [page.next.at, page.next.id]),
    unseen_notifications_count: unseen,
  }
}

/** What a user may be notified of, and up to when each kind of it was seen in an app. */
async function unseenBy(
  context: AppContext,
  app: string,
  about: Pick<NoticeQuery, 'fid' | 'kinds' | 'places' | 'actors'>,
) {
  const marks = await context.storage.of(appSeenRows).of(app, about.fid)
  return unseenSince(context, app, about, marks)
}

/** How many notifications a user has seen in no app, and when they have looked last, in network seconds. */
export async function unseenInAnyApp(context: AppContext, fid: number) {
  const marks = await context.storage.of(appSeenRows).newestOf(fid)
  const { wanted, seen } = unseenSince(context, EVERY_APP, { fid, kinds: ALL_KINDS }, marks)
  const count = await context.storage.appViews.unseenCount(wanted, seen, MAX_UNSEEN)
  return { count, lookedAt: Math.max(0, ...marks.map(({ seen_at }) => Number(seen_at))) }
}

function unseenSince(
  { nowMs }: AppContext,
  app: string,
  about: Pick<NoticeQuery, 'fid' | 'kinds' | 'places' | 'actors'>,
  seenMarks: readonly Pick<AppSeen, 'kind' | 'seen_at'>[],
) {
  const { fid, kinds } = about
  // Users are not notified of accounts that they do not want to see.
  const viewer = { app, viewer: fid }
  const since = networkTime(nowMs()) - MAX_AGE_SECONDS
  const marks = new Map(seenMarks.map(({ kind, seen_at }) => [kind, seen_at]))
  const seen = new Map(kinds.map((kind) => [kind, marks.get(noticeKindOf(kind).group) ?? 0]))
  return { wanted: { ...about, viewer, since }, seen }
}

/** Reads rows until the next one would exceed `limit` bundles, or MAX_ROWS were read. */
async function readBundles(
  { storage }: AppContext,
  query: NoticeQuery,
  limit: number,
  before: NoticePosition | undefined,
): Promise<{ bundles: Bundle[]; next: NoticePosition | undefined }> {
  const bundles = new Map<string, Bundle>()
  let last = before
  let read = 0
  for (const size of [FIRST_ROWS, MAX_ROWS - FIRST_ROWS]) {
    const rows = await storage.appViews.notices(query, last, size)
    for (const row of rows) {
      const name = bundleOf(row)
      const bundle = bundles.get(name)
      if (!row.skipped && !bundle && bundles.size === limit) {
        return { bundles: [...bundles.values()], next: last }
      }
      last = { at: row.at, id: row.id }
      if (row.skipped) continue
      if (bundle) bundle.rows.push(row)
      else bundles.set(name, { rows: [row] })
    }
    read += rows.length
    if (rows.length < size) return { bundles: [...bundles.values()], next: undefined }
  }
  return { bundles: [...bundles.values()], next: read === MAX_ROWS ? last : undefined }
}

function notificationOf(
  { rows }: Bundle,
  found: Hydrated,
  seen: ReadonlyMap<number, number>,
): Notification[] {
  const [newest] = rows
  if (!newest) return []
  const { key, at } = newest
  const kind = noticeKindOf(newest.kind)
  const head = {
    object: 'notification' as const,
    type: kind.type,
    most_recent_timestamp: timeOf(at),
    seen: at <= (seen.get(kind.number) ?? 0),
  }
  const people = rows.slice(0, MAX_PEOPLE).flatMap(({ actor }) => found.user(actor) ?? [])
  if (kind.bundle === 'follows') {
    const follows = people.map(followerOf)
    return follows.length > 0 ? [{ ...head, count: rows.length, follows }] : []
  }
  const cast = key ? found.unmutedCast(key) : undefined
  if (!cast || !key) return []
  if (kind.bundle === 'reactions') {
    const reactions = people.map((user) => ({
      object: kind.type,
      cast: found.castDehydrated(key),
      user,
    }))
    return [{ ...head, count: rows.length, reactions, cast }]
  }
  return [{ ...head, cast: kind.castType ? { ...cast, type: kind.castType } : cast }]
}
