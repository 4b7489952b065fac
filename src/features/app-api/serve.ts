import type { IncomingHttpHeaders } from 'node:http'
import {
  type StorageEndConfig,
  type StorageGrowthConfig,
  storageEnds,
  storageGrows,
} from '../../kernel/accounts/settings.ts'
import { Apps } from '../../kernel/app-api/apps.ts'
import { KeyApps } from '../../kernel/app-api/key-apps.ts'
import { orLastKnown } from '../../kernel/app-api/last-known.ts'
import type { AppPorts } from '../../kernel/app-api/ports.ts'
import { Ranking } from '../../kernel/app-api/ranking.ts'
import { Secrets } from '../../kernel/app-api/secrets.ts'
import { Standbys } from '../../kernel/app-api/standbys.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import { singleFlight } from '../../kernel/base/concurrency.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import { submitMessages } from '../../kernel/hub/submit/submit-messages.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Limit } from '../../kernel/limits/window.ts'
import type { Module } from '../../kernel/module.ts'
import { HOUR_MS } from '../../kernel/protocol/time.ts'
import type { Server } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { Views } from '../../kernel/views/port.ts'
import { standingIn } from '../badges/port.ts'
import { BLOCKS_OF_USERS } from '../blocks/port.ts'
import { CHANNELS } from '../channels/port.ts'
import { KEY_REQUESTS_OF_APPS } from '../key-requests/port.ts'
import { LANGUAGES_OF_POSTS } from '../languages/port.ts'
import { MEDIA_OF_USERS, mediaRows } from '../media/port.ts'
import { MUTED_TERMS_OF_USERS } from '../mutes/port.ts'
import { MOVES_AT } from '../recovery/port.ts'
import { REGISTRY } from '../registry/port.ts'
import { createSearch } from '../search/port.ts'
import { SERVER_FACE, sayToClient } from '../server-face/port.ts'
import { followAppSigners, reopenAppSigners, Signers } from '../signers/port.ts'
import { PREVIEWS } from '../web/port.ts'
import { actingOn } from './acting.ts'
import { ChannelCache } from './channels/channel-cache.ts'
import { operatorAppRoutes } from './operator-routes.ts'
import { APP_API } from './port.ts'
import type { SubmitAll } from './ports.ts'
import { appRoutes } from './routes.ts'
import { type AppConfig, castUrlBaseOf } from './settings.ts'
import { Publisher } from './writes/publisher.ts'
import { writeRoutes } from './writes/routes.ts'

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

/** Expired rows that one transaction deletes. */
const MAX_DELETED = 1_000

/** Whole clients in one call a screen: hydrated casts, feeds, threads, notifications, search. */
export function serve(server: Server<Config>): Module | undefined {
  const { config, storage, clock, hub, find, of, offer } = server
  if (!server.views) return undefined
  const now = () => unixSeconds(clock)
  const context = readingContext(server, server.views)
  const { signerSecret, dataDir, fetchLoopback: allowLoopback, network } = config
  const secrets = new Secrets({
    ...{ storage, sealed: storage.schema!.sealed, signerSecret, dataDir, log: server.logger },
  })
  const platform = actingOn(server.platform, {
    channels: of(CHANNELS),
    blocks: of(BLOCKS_OF_USERS),
    keyRequests: of(KEY_REQUESTS_OF_APPS),
  })
  const signers = new Signers({ storage, platform, secrets, now })
  const submitAll: SubmitAll = (messages) => submitMessages(hub, messages)
  const publisher = new Publisher({ storage, submitAll, network, nowMs: context.nowMs })
  const app = { ...context, platform, signers, secrets, allowLoopback }
  offer(APP_API, app)
  const asksForDescriptions = async () =>
    (await find(SERVER_FACE)?.read())?.descriptions === 'required'
  const writes = writeRoutes(
    { ...app, publisher, submitAll, asksForDescriptions },
    { media: find(MEDIA_OF_USERS), previews: find(PREVIEWS) },
  )
  const { apps, search } = context
  return {
    name: 'app',
    jobs: [cleanUp([signers, publisher], () => signers.followWaiting())],
    onMerged: (tx, _, events) => followAppSigners(tx, events, now()),
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
      identify: (headers) => apps.identify(headers),
      checkToken: (request) => platform.actorOf(request),
      // Loopback counts too: keys are counted, not addresses.
      limits: {
        read: perMinute(config.appLimit),
        write: perMinute(Math.floor(config.appLimit * WRITES_PER_READ)),
        search: perMinute(Math.floor(config.appLimit * SEARCHES_PER_READ)),
      },
      ignoresPathCase: true,
      compressed: true,
    },
    routes: { app: [...appRoutes(context), ...writes] },
    operatorRoutes: operatorAppRoutes({ apps }),
    start: () => secrets.check(),
    stop: () => search.close(),
  }
}

type DescribedFiles = Parameters<AppPorts['media']['describedOf']>[1]

/** What the routes read with. */
function readingContext(server: Server<Config>, views: Views) {
  const { config, storage, clock, mode, find, of } = server
  const nowMs = () => clock.now()
  // Concurrent requests share the read of a new set of badges.
  const scores = orLastKnown(singleFlight(standingIn(storage).scores))
  const search = createSearch(storage)
  const media = find(MEDIA_OF_USERS)
  return {
    storage,
    standbys: new Standbys(storage, views),
    apps: new Apps({ storage, mode, now: () => unixSeconds(clock) }),
    views,
    settings: { ...config, castUrlBase: castUrlBaseOf(config) },
    storageTerms: { network: config.network, storageEnds: storageEnds(config) },
    storageGrows: storageGrows(config),
    channelCache: new ChannelCache(storage),
    keyApps: new KeyApps(storage),
    scores,
    ranking: new Ranking({ scores, standingIn, nowMs, resets: storage.resets }),
    search,
    ports: {
      isReservedName: (name: string) => find(REGISTRY)?.isReservedName(name) ?? false,
      media: {
        hashAt: (url: string) => media?.hashAt(url),
        hashOfOwn: (url: string) => media?.hashOfOwn(url),
        describedOf: async ({ of }: Pick<Reader, 'of'>, files: DescribedFiles) =>
          media ? of(mediaRows).described(files) : [],
      },
      knownSnaps: async (urls: readonly string[], headers: IncomingHttpHeaders = {}) => {
        const say = async () => sayToClient({ headers }, undefined, await of(SERVER_FACE).read())
        return (await find(PREVIEWS)?.knownSnaps(urls, say)) ?? new Map()
      },
      mutedTermsOf: async (reader: Pick<Reader, 'of'>, fid: number) =>
        (await find(MUTED_TERMS_OF_USERS)?.(reader, fid)) ?? [],
      languagesOfCasts: async () => (await find(LANGUAGES_OF_POSTS)?.()) ?? (() => undefined),
      movesAt: async (reader: Pick<Reader, 'of'>, fid: number) => find(MOVES_AT)?.(reader, fid),
    },
    nowMs,
  }
}

type Expiring = { deleteExpired(limit: number): Promise<number> }

const cleanUp = (expiring: readonly Expiring[], follow: () => Promise<unknown>): Job => ({
  name: 'app API clean-up',
  scope: 'leader',
  everyMs: HOUR_MS,
  async run() {
    await follow()
    for (const rows of expiring) {
      for (let deleted = MAX_DELETED; deleted === MAX_DELETED; ) {
        deleted = await rows.deleteExpired(MAX_DELETED)
      }
    }
  },
})

const perMinute = (max: number): Limit => ({ max, windowSeconds: 60 })
