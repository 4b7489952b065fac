import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../../kernel/app-api/cursor.ts'
import { hydrate } from '../../../kernel/app-api/objects/hydrate.ts'
import { pageOf } from '../../../kernel/app-api/pages.ts'
import { boundedParam, choiceParam, wordsParam } from '../../../kernel/app-api/params.ts'
import { described, fidParam, optional } from '../../../kernel/http/input/params.ts'
import { route } from '../../../kernel/http/route.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { HOUR_SECONDS } from '../../../kernel/protocol/time.ts'
import type { After } from '../../../kernel/storage/tables/table.ts'
import { type CatalogueFilter, miniAppReadRows } from '../tables/mini-app-reads.ts'
import { miniAppRows } from '../tables/mini-apps.ts'
import { CATEGORIES } from '../text/words.ts'
import { framesOf, MINI_APP_TAGS } from './frames.ts'
import { FrameCatalogReply, RelevantFramesReply } from './schemas.ts'

const WINDOWS = {
  '1h': HOUR_SECONDS,
  '6h': 6 * HOUR_SECONDS,
  '12h': 12 * HOUR_SECONDS,
  '24h': 24 * HOUR_SECONDS,
  '7d': 168 * HOUR_SECONDS,
}
const WINDOW_NAMES = ['1h', '6h', '12h', '24h', '7d'] as const

/** The chains that manifests may need, by the names of the app API. */
const NETWORKS = {
  ethereum: 'eip155:1',
  base: 'eip155:8453',
  arbitrum: 'eip155:42161',
  'arbitrum-sepolia': 'eip155:421614',
  'base-sepolia': 'eip155:84532',
  degen: 'eip155:666666666',
  gnosis: 'eip155:100',
  optimism: 'eip155:10',
  'optimism-sepolia': 'eip155:11155420',
  polygon: 'eip155:137',
  'ethereum-sepolia': 'eip155:11155111',
  zora: 'eip155:7777777',
  unichain: 'eip155:130',
  'monad-testnet': 'eip155:10143',
  celo: 'eip155:42220',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
} as const
type Network = keyof typeof NETWORKS

const networksParam = optional(
  wordsParam(
    Object.keys(NETWORKS) as Network[],
    'Apps that need one of these chains, or no chain.',
  ),
)
const windowParam = choiceParam(WINDOW_NAMES, 'How far back people opened the apps.', '7d')

const MAX_QUERY_CHARACTERS = 64
const MAX_QUERY_WORDS = 5
/** People of each app that are shown whole. */
const MAX_TOP_USERS = 5
/** Apps that are shown to one viewer. */
const MAX_RELEVANT_APPS = 25
/** People of each app that are named. */
const MAX_NAMED_USERS = 50

const since = ({ nowMs }: AppContext, window: keyof typeof WINDOWS) =>
  Math.floor(nowMs() / 1_000) - WINDOWS[window]

/** The apps that people opened in a time window, on pages. */
async function pageOfActive(
  context: AppContext,
  viewer: Viewer,
  { window, filter, cursor, limit }: Asked,
) {
  const reads = context.storage.of(miniAppReadRows)
  const rows = await reads.active(since(context, window), filter, cursor, limit + 1)
  const { items, last } = pageOf(rows, limit)
  return {
    frames: await framesOf(context, viewer, items),
    next: nextOf(last && [last.recent, last.id]),
  }
}

type Asked = {
  readonly window: keyof typeof WINDOWS
  readonly filter: CatalogueFilter
  readonly cursor: After
  readonly limit: number
}

const chainsOf = (networks: readonly Network[] | undefined) =>
  (networks ?? []).map((network) => NETWORKS[network])

export const catalog = route('GET /v2/farcaster/frame/catalog', {
  callers: 'app',
  summary: 'Mini apps by how many people opened them',
  description: 'In the time window; the newest first among equals.',
  tags: MINI_APP_TAGS,
  query: {
    ...paged({ default: 100, max: 100 }, 'n', 'n'),
    time_window: windowParam,
    categories: optional(wordsParam(CATEGORIES, 'Only apps of these categories.')),
    networks: networksParam,
  },
  reply: FrameCatalogReply,
  cost: { cpu: 'large' },
  errors: [],
  from: VIEWS,
  handler: async (
    context,
    { viewer, query: { limit, cursor, timeWindow, categories = [], networks } },
  ) => {
    const filter = { categories: categories ?? [], chains: chainsOf(networks), words: [] }
    return pageOfActive(context, viewer, { window: timeWindow, filter, cursor, limit })
  },
})

export const searchFrames = route('GET /v2/farcaster/frame/search', {
  callers: 'app',
  summary: 'Search mini apps',
  description: 'Apps that have every word in their name, texts, tags or domain.',
  tags: MINI_APP_TAGS,
  limit: 'search',
  query: {
    q: boundedParam(MAX_QUERY_CHARACTERS, 'Words.'),
    ...paged({ default: 20, max: 100 }, 'n', 'n'),
    networks: networksParam,
  },
  reply: FrameCatalogReply,
  cost: { cpu: 'large' },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { q, limit, cursor, networks } }) => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_QUERY_WORDS)
    const filter = { categories: [], chains: chainsOf(networks), words }
    return pageOfActive(context, viewer, { window: '7d', filter, cursor, limit })
  },
})

export const relevantFrames = route('GET /v2/farcaster/frame/relevant', {
  callers: 'app',
  summary: 'Mini apps that people whom a user follows have opened',
  description: 'The apps of most people first. People who hide what they open are not shown.',
  tags: MINI_APP_TAGS,
  query: {
    viewer_fid: described(fidParam, 'The user who follows them.'),
    time_window: windowParam,
    networks: networksParam,
  },
  reply: RelevantFramesReply,
  cost: { cpu: 'large' },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { viewerFid, timeWindow, networks } }) => {
    if (viewerFid === undefined) {
      throw new Rejection('bad_request.validation_failure', 'viewer_fid is missing', {
        field: 'viewer_fid',
      })
    }
    const { of } = context.storage
    const opened = await of(miniAppReadRows).openedByFollowed(viewerFid, since(context, timeWindow))
    const people = Map.groupBy(opened, ({ app_id }) => app_id)
    const chains = chainsOf(networks)
    const apps = (await of(miniAppRows).byIds([...people.keys()]))
      .filter((app) => chains.length === 0 || app.chains === '' || needsOne(app.chains, chains))
      .sort((a, b) => people.get(b.id)!.length - people.get(a.id)!.length || b.id - a.id)
      .slice(0, MAX_RELEVANT_APPS)
    const fidsOf = ({ id }: { id: number }) =>
      people
        .get(id)!
        .slice(0, MAX_NAMED_USERS)
        .map(({ fid }) => fid)
    const found = await hydrate(context, viewer, { users: [...new Set(apps.flatMap(fidsOf))] })
    const frames = await framesOf(context, viewer, apps)
    return {
      relevant_frames: apps.map((app, i) => {
        const fids = fidsOf(app)
        return {
          frame: frames[i]!,
          top_relevant_users: fids.slice(0, MAX_TOP_USERS).flatMap((fid) => found.user(fid) ?? []),
          remaining_relevant_users: fids
            .slice(MAX_TOP_USERS)
            .flatMap((fid) => found.userDehydrated(fid) ?? []),
        }
      }),
    }
  },
})

const needsOne = (needed: string, chains: readonly string[]) =>
  chains.some((chain) => needed.includes(`,${chain},`))
