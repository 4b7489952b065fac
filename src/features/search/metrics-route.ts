import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../kernel/app-api/context.ts'
import { timeOf } from '../../kernel/app-api/objects/hydrate.ts'
import { choiceParam } from '../../kernel/app-api/params.ts'
import { CastMetricsReply } from '../../kernel/app-api/schemas.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { DAY_SECONDS, HOUR_SECONDS, networkTime } from '../../kernel/protocol/time.ts'
import { firstDocAt, secondOfDoc } from '../../kernel/storage/views/views.ts'
import { castQueryParam, filterParams, readSearch } from './search-filters.ts'
import { checkedPage, SEARCH } from './search-routes.ts'

/** The length of each interval, and of the parts in which casts are counted. */
const INTERVALS = {
  '1d': { days: 1, resolution: HOUR_SECONDS },
  '7d': { days: 7, resolution: 6 * HOUR_SECONDS },
  '30d': { days: 30, resolution: DAY_SECONDS },
  '90d': { days: 90, resolution: 3 * DAY_SECONDS },
  '180d': { days: 180, resolution: 6 * DAY_SECONDS },
} as const
/** The newest matches, which are counted. */
const MAX_COUNTED = 5_000

/** The route of counts over time. */
export const metricsRoutes = (context: AppContext): Route[] => bind(context, [castMetrics])

const castMetrics = route('GET /v2/farcaster/cast/metrics', {
  callers: 'app',
  summary: 'How many casts match a search, over time',
  description:
    `The oldest part of the interval first; parts without casts are 0. Of the newest ${MAX_COUNTED} matches, and of ` +
    '500 when phrases have to be checked.',
  tags: SEARCH,
  limit: 'search',
  query: {
    q: castQueryParam,
    interval: choiceParam(['1d', '7d', '30d', '90d', '180d'], 'How far back.', '30d'),
    author_fid: filterParams.author_fid,
    channel_id: filterParams.channel_id,
  },
  reply: CastMetricsReply,
  cost: { cpu: 'large', rows: 1_000 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { interval, ...query } }) => {
    const { days, resolution } = INTERVALS[interval]
    const now = networkTime(context.nowMs())
    const start = now - days * DAY_SECONDS
    const counts = new Array<number>((days * DAY_SECONDS) / resolution).fill(0)
    const search = await readSearch(context, query)
    if (search !== null) {
      const wanted = {
        ...search,
        viewer,
        from: Math.max(search.from, firstDocAt(start)),
        descending: true,
        limit: MAX_COUNTED,
        most: MAX_COUNTED,
      }
      const { items } = search.checked
        ? await checkedPage(context, wanted, search.checked)
        : await context.search.castsWithWords(wanted)
      for (const { doc } of items) {
        const part = Math.floor((secondOfDoc(doc) - start) / resolution)
        counts[Math.min(part, counts.length - 1)]! += 1
      }
    }
    return {
      metrics: counts.map((cast_count, i) => ({
        start: timeOf(start + i * resolution),
        resolution_in_seconds: resolution,
        cast_count,
      })),
    }
  },
})
