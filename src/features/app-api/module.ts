import {
  type StorageEndConfig,
  type StorageGrowthConfig,
  storageEnds,
  storageGrows,
} from '../../kernel/accounts/settings.ts'
import { Apps } from '../../kernel/app-api/apps.ts'
import type { StoreContext } from '../../kernel/app-api/context.ts'
import { KeyApps } from '../../kernel/app-api/key-apps.ts'
import { orLastKnown } from '../../kernel/app-api/last-known.ts'
import type { AppPorts } from '../../kernel/app-api/ports.ts'
import { Ranking } from '../../kernel/app-api/ranking.ts'
import { Standbys } from '../../kernel/app-api/standbys.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import { singleFlight } from '../../kernel/base/concurrency.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { Limit } from '../../kernel/limits/window.ts'
import type { Module, ModuleContext } from '../../kernel/module.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import type { Views } from '../../kernel/views/port.ts'
import { standingIn } from '../badges/port.ts'
import { mediaRows } from '../media/tables/media.ts'
import { mutedTermRows } from '../mutes/port.ts'
import { createSearch } from '../search/port.ts'
import { followAppSigners, reopenAppSigners } from '../signers/port.ts'
import { ChannelCache } from './channels/channel-cache.ts'
import { operatorAppRoutes } from './operator-routes.ts'
import { appRoutes } from './routes.ts'
import { type AppConfig, castUrlBaseOf } from './settings.ts'
import { createWriting, type WritingPorts } from './writing.ts'

export type AppModuleOptions = WritingPorts &
  Pick<AppPorts, 'isReservedName'> & { readonly views: Views }

type Config = AppConfig &
  HttpConfig &
  StorageEndConfig &
  StorageGrowthConfig &
  Pick<StorageConfig, 'dataDir' | 'network'> & {
    readonly fetchLoopback: boolean
    readonly nameChangeDays: number
  }

/** Of the limit of reads: a write costs about ten times as much as a read. */
const WRITES_PER_READ = 1 / 10
/** The same of searches, suggestions and conversations, which cost about five times as much. */
const SEARCHES_PER_READ = 1 / 5

/** Headers that browser apps read. */
const EXPOSED_HEADERS = [
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
  'x-rookery-event-id',
  'x-rookery-indexed',
]

/** Whole clients in one call a screen: hydrated casts, feeds, threads, notifications, search. */
export function createAppModule(
  moduleContext: ModuleContext,
  config: Config,
  { views, isReservedName, ...ports }: AppModuleOptions,
): Module {
  const { storage, clock, mode } = moduleContext
  const nowMs = () => clock.now()
  const now = () => unixSeconds(clock)
  const apps = new Apps({ storage, mode, now })
  // Concurrent requests share the read of a new set of badges.
  const scores = orLastKnown(singleFlight(standingIn(storage).scores))
  const search = createSearch(storage)
  const context: StoreContext = {
    storage,
    standbys: new Standbys(storage, views),
    apps,
    views,
    settings: { ...config, castUrlBase: castUrlBaseOf(config) },
    storageTerms: { network: config.network, storageEnds: storageEnds(config) },
    storageGrows: storageGrows(config),
    channelCache: new ChannelCache(storage),
    keyApps: new KeyApps(storage),
    scores,
    ranking: new Ranking({ scores, standingIn, nowMs }),
    search,
    ports: {
      isReservedName,
      media: {
        hashAt: ports.media.hashAt,
        describedOf: ({ of }, files) => of(mediaRows).described(files),
      },
      mutedTermsOf: ({ of }, fid) => of(mutedTermRows).of(fid),
    },
    nowMs,
  }
  const writing = createWriting(moduleContext, config, context, ports)
  return {
    name: 'app',
    jobs: writing.jobs,
    onMerged: async (tx, _, events) => {
      await followAppSigners(tx, events, now())
      await writing.onMerged(tx, events)
    },
    onReorg: (tx, events) => reopenAppSigners(tx, events, now()),
    serves: {
      name: 'app',
      title: 'Rookery app API',
      description:
        'Hydrated casts with counts, feeds, threads, notifications, followers and search, in the shapes ' +
        'of the v2 API that Farcaster apps use.',
      errors: 'app',
      host: config.host,
      port: config.appPort,
      identify: (headers, ip) => apps.identify(headers, ip),
      checkToken: (request) => ports.platform.actorOf(request),
      // Loopback counts too: keys are counted, not addresses.
      limits: {
        read: perMinute(config.appLimit),
        write: perMinute(Math.floor(config.appLimit * WRITES_PER_READ)),
        search: perMinute(Math.floor(config.appLimit * SEARCHES_PER_READ)),
      },
      ignoresPathCase: true,
      compressed: true,
      exposedHeaders: EXPOSED_HEADERS,
    },
    routes: { app: [...appRoutes(context), ...writing.routes], accounts: writing.accountRoutes },
    operatorRoutes: [...operatorAppRoutes({ apps, storage }), ...writing.operatorRoutes],
    start: () => writing.secrets.check(),
    stop: () => search.close(),
  }
}

const perMinute = (max: number): Limit => ({ max, windowSeconds: 60 })
