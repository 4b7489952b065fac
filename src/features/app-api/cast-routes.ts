import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../kernel/app-api/context.ts'
import { paged } from '../../kernel/app-api/cursor.ts'
import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import { castsPage, pageOf } from '../../kernel/app-api/pages.ts'
import { choiceParam, flagParam, hashParam, viewerParam } from '../../kernel/app-api/params.ts'
import {
  CastReply,
  CastsPageReply,
  CastsResultReply,
  ConversationReply,
} from '../../kernel/app-api/schemas.ts'
import {
  described,
  intParam,
  listParam,
  ofPage,
  optional,
  withDefault,
  wordParam,
} from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import type { FoundCast } from '../../kernel/storage/reads/app-casts.ts'
import { LAST_DOC } from '../../kernel/storage/reads/app-feeds.ts'
import { ageHoursOf, fadedPoints, pointsOf } from '../../kernel/views/ranking.ts'
import { getKey, identifierParam, identifierTypeParam } from './cast-id.ts'
import { conversation } from './objects/conversation.ts'

const CASTS = [{ name: 'Casts', description: 'Single casts, threads and quotes.' }]

const MAX_CASTS = 100
const MAX_DEPTH = 5

const SORTS = ['trending', 'likes', 'recasts', 'replies', 'recent'] as const
type Sort = (typeof SORTS)[number]

const identifier = {
  identifier: identifierParam,
  type: identifierTypeParam,
  viewer_fid: viewerParam,
}

/** Routes that look casts up. */
export const castRoutes = (context: AppContext): Route[] =>
  bind(context, [cast, casts, castConversation, quotes])

const cast = route('GET /v2/farcaster/cast', {
  callers: 'app',
  summary: 'A cast by its hash or its url',
  description: 'A url ends with a username and a hash of 8 digits or more, or with a whole hash.',
  tags: CASTS,
  query: identifier,
  reply: CastReply,
  errors: ['not_found'],
  cost: 'lookup',
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const key = await getKey(context, query)
    const found = await hydrate(context, viewer, { casts: [key] })
    const cast = found.cast(key)
    if (!cast) throw new Rejection('not_found', 'no such cast is stored')
    return { cast }
  },
})

const casts = route('GET /v2/farcaster/casts', {
  callers: 'app',
  summary: 'Casts by their hashes',
  description: 'In the order asked for, or sorted. Casts that are not stored are missing.',
  tags: CASTS,
  query: {
    casts: listParam(hashParam, { max: MAX_CASTS }),
    sort_type: optional(described(wordParam(SORTS), 'The order; as asked for by default.')),
    viewer_fid: viewerParam,
  },
  reply: CastsResultReply,
  cost: { cpu: 'small', rows: MAX_CASTS },
  isWhole: ({ result }, { casts: hashes }) => result.casts.length >= hashes.length,
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { casts: hashes, sortType } }) => {
    const keys = await context.storage.appViews.castKeysOfHashes(hashes)
    const found = await hydrate(context, viewer, { casts: keys })
    const rows = keys.flatMap((key) => found.row(key) ?? [])
    const sorted = sortType ? sortedBy(sortType, rows, networkTime(context.nowMs())) : rows
    return { result: { casts: sorted.flatMap(({ key }) => found.cast(key) ?? []) } }
  },
})

export const castConversation = route('GET /v2/farcaster/cast/conversation', {
  callers: 'app',
  summary: 'A cast with the replies to it',
  description:
    'A page of direct replies, and the replies to them to the depth asked for; at most 500 casts.',
  tags: CASTS,
  limit: 'search',
  query: {
    ...identifier,
    reply_depth: ofPage(
      withDefault(
        described(intParam({ min: 0, max: MAX_DEPTH }), 'Levels of replies; 0 for none.'),
        2,
      ),
    ),
    include_chronological_parent_casts: ofPage(
      flagParam(false, 'Adds the casts above it, the oldest first.'),
    ),
    sort_type: choiceParam(
      ['chron', 'desc_chron', 'algorithmic'],
      'The order of direct replies. `algorithmic` is ranked among the newest 1,000.',
    ),
    fold: optional(
      described(
        wordParam(['above', 'below']),
        'Only replies of people with a good score, followed by the viewer or by the author of the thread; or only the others.',
      ),
    ),
    ...paged({ default: 20, max: 50 }, 'n'),
  },
  reply: ConversationReply,
  errors: ['not_found'],
  cost: { cpu: 'medium', rows: 500 },
  from: VIEWS,
  handler: async (context, { viewer, query }) =>
    conversation(context, viewer, await getKey(context, query), query),
})

const quotes = route('GET /v2/farcaster/cast/quotes', {
  callers: 'app',
  summary: 'Casts that quote a cast',
  description: 'The newest first.',
  tags: CASTS,
  query: { ...identifier, ...paged({ default: 25, max: 100 }, 'n') },
  reply: CastsPageReply,
  errors: ['not_found'],
  cost: { cpu: 'small', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const [before] = query.cursor ?? [LAST_DOC]
    const key = await getKey(context, query)
    const page = { viewer, before, limit: query.limit + 1 }
    const rows = await context.storage.appViews.quotes(key, page)
    const { items, last } = pageOf(rows, query.limit)
    return castsPage(context, viewer, { items, next: last?.doc })
  },
})

const MEASURES: Record<Sort, (cast: FoundCast, now: number) => number> = {
  trending: (cast, now) => fadedPoints(pointsOf(cast), ageHoursOf(cast.doc, now)),
  likes: ({ likes }) => likes,
  recasts: ({ recasts }) => recasts,
  replies: ({ replies }) => replies,
  recent: ({ doc }) => doc,
}

/** By a measure, the greatest first; equal ones stay in order. */
const sortedBy = (sort: Sort, casts: readonly FoundCast[], now: number): FoundCast[] =>
  casts
    .map((cast) => ({ cast, value: MEASURES[sort](cast, now) }))
    .sort((a, b) => b.value - a.value)
    .map(({ cast }) => cast)
