import { limitParam } from '../http/input/paging.ts'
import {
  described,
  intParam,
  ofPage,
  optional,
  type Param,
  withDefault,
  wordParam,
} from '../http/input/params.ts'
import type { Route } from '../http/route.ts'
import { Rejection } from '../protocol/rejection.ts'
import { networkTime } from '../protocol/time.ts'
import type { FoundCast } from '../storage/reads/app-casts.ts'
import { LAST_DOC } from '../storage/reads/app-feeds.ts'
import { ageHoursOf, fadedPoints, pointsOf } from '../views/ranking.ts'
import { getKey, identifierParam, identifierTypeParam } from './cast-id.ts'
import type { AppContext } from './context.ts'
import { cursorParam } from './cursor.ts'
import { nameOfKey } from './keys.ts'
import { viewRoute } from './kit.ts'
import { conversation } from './objects/conversation.ts'
import { hydrate } from './objects/hydrate.ts'
import { onlookerOf } from './objects/onlooker.ts'
import { feedPage } from './pages.ts'
import { flagParam, hashParam, listParam, viewerParam } from './params.ts'
import { CastReply, CastsPageReply, CastsResultReply, ConversationReply } from './schemas.ts'

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
export function castRoutes(context: AppContext): Route[] {
  const { storage } = context
  const get = viewRoute(context)
  return [
    get(
      {
        path: '/cast',
        summary: 'A cast by its hash or its url',
        description:
          'A url ends with a username and a hash of 8 digits or more, or with a whole hash.',
        tags: CASTS,
        query: identifier,
        reply: CastReply,
        errors: ['not_found'],
      },
      async ({ query, caller }) => {
        const key = await getKey(context, query)
        const found = await hydrate(context, onlookerOf(caller, query.viewerFid), { casts: [key] })
        const cast = found.cast(key)
        if (!cast) throw new Rejection('not_found', 'no such cast is stored')
        return { cast }
      },
    ),
    get(
      {
        path: '/casts',
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
      },
      async ({ query, caller }) => {
        const keys = await storage.appViews.castKeysOfHashes(query.casts)
        const found = await hydrate(context, onlookerOf(caller, query.viewerFid), { casts: keys })
        const rows = keys.flatMap((key) => found.row(key) ?? [])
        const now = networkTime(context.nowMs())
        const sorted = query.sortType ? sortedBy(query.sortType, rows, now) : rows
        return { result: { casts: sorted.flatMap(({ key }) => found.cast(key) ?? []) } }
      },
    ),
    get(
      {
        path: '/cast/conversation',
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
          sort_type: withDefault(
            described(
              wordParam(['chron', 'desc_chron', 'algorithmic']),
              'The order of direct replies. `algorithmic` is ranked among the newest 1,000.',
            ),
            'chron',
          ) as Param<'chron' | 'desc_chron' | 'algorithmic'>,
          fold: optional(
            described(
              wordParam(['above', 'below']),
              'Only replies of people with a good score, followed by the viewer or by the author of the thread; or only the others.',
            ),
          ),
          limit: limitParam({ default: 20, max: 50 }),
          cursor: cursorParam('conversation', ['n']),
        },
        reply: ConversationReply,
        errors: ['not_found'],
        cost: { cpu: 'medium', rows: 500 },
      },
      async ({ query, caller }) => {
        const key = await getKey(context, query)
        return conversation(context, onlookerOf(caller, query.viewerFid), key, query)
      },
    ),
    get(
      {
        path: '/cast/quotes',
        summary: 'Casts that quote a cast',
        description: 'The newest first.',
        tags: CASTS,
        query: {
          ...identifier,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('quotes', ['n']),
        },
        reply: CastsPageReply,
        errors: ['not_found'],
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query, caller }) => {
        const { limit } = query
        const onlooker = onlookerOf(caller, query.viewerFid)
        const key = await getKey(context, query)
        const before = query.cursor?.[0] ?? LAST_DOC
        const items = await storage.appViews.quotes(key, { onlooker, before, limit: limit + 1 })
        return feedPage(context, onlooker, { list: 'quotes', items, limit })
      },
    ),
  ]
}

/** Casts by a measure, the greatest first; those that are equal stay in order. */
function sortedBy(sort: Sort, casts: readonly FoundCast[], now: number): FoundCast[] {
  const measures: Record<Sort, (cast: FoundCast) => number> = {
    trending: (cast) => fadedPoints(pointsOf(cast), ageHoursOf(cast.doc, now)),
    likes: ({ likes }) => likes,
    recasts: ({ recasts }) => recasts,
    replies: ({ replies }) => replies,
    recent: ({ doc }) => doc,
  }
  const values = new Map(casts.map((cast) => [nameOfKey(cast.key), measures[sort](cast)]))
  return casts.toSorted((a, b) => values.get(nameOfKey(b.key))! - values.get(nameOfKey(a.key))!)
}
