import type { FollowerStatus } from '../accounts/chain/follower.ts'
import {
  type AccountsConfig,
  type StorageEndConfig,
  type StorageGrowthConfig,
  storageEnds,
  storageGrows,
} from '../accounts/settings.ts'
import type { EvmClients } from '../accounts/signatures/evm.ts'
import type { SigningNetwork } from '../accounts/signatures/signing-network.ts'
import type { Mode } from '../base/setting.ts'
import { VERSION } from '../base/version.ts'
import { AnswerCache } from '../http/answer-cache.ts'
import { parseCredentials } from '../http/auth.ts'
import type { HttpConfig } from '../http/settings.ts'
import { type Module, type ModuleContext, perMinute } from '../module.ts'
import { accountDomains } from '../protocol/crypto/account-domains.ts'
import { gaslessKeyDomain } from '../protocol/crypto/eip712.ts'
import type { StorageConfig } from '../storage/settings.ts'
import { LogFeed } from './events/event-feed-reader.ts'
import { createEventStreams } from './events/event-stream.ts'
import { logEndOf } from './events/future-event.ts'
import { type Forwards, Hub } from './hub.ts'
import { remoteNames } from './jobs/remote-names.ts'
import { createFeedMetrics, HubMetrics } from './metrics.ts'
import type { NameFeed } from './names.ts'
import { HubJsonWriter } from './reads/json-writer.ts'
import { HubReads, type MirrorInfo } from './reads/reads.ts'
import { hubRoutes } from './routes.ts'
import {
  ANSWER_CACHE_BYTES,
  acceptedNetwork,
  DEFAULT_SERVER_NAME,
  EVENT_RETENTION_MS,
  EVENT_STREAMS_PER_SUBSCRIPTION,
  type HubConfig,
  type HubSettings,
} from './settings.ts'
import { createEthereum } from './submit/ethereum.ts'

type HubModuleOptions = {
  /** The file of the thread that merges: it calls `serveMerges`. */
  readonly mergeScript: URL
  /** Where the hub learns names; unless given, from the registry that the settings name. */
  readonly names: NameFeed | undefined
  /** The log of names of this server; undefined where it has none. */
  readonly ownNames: NameFeed | undefined
  readonly evm: EvmClients
  /** How far the accounts' chain is followed; undefined when accounts are the ledger's. */
  readonly chainStatus: () => FollowerStatus | undefined
  /** What signatures about accounts are made for. */
  readonly signingNetwork: () => SigningNetwork
  /** Whether the messages here are those that another hub has stored. */
  readonly isMirror: boolean
  /** Why no messages of clients are taken; undefined: they are. */
  readonly refusesSubmits: string | undefined
  /** Whether this server mirrors some people only. */
  readonly isPartial: boolean
  /** Takes submits in place of this hub. */
  readonly forwarder: () => Forwards | undefined
  /** The hub that this server mirrors. */
  readonly mirror: () => Promise<MirrorInfo> | undefined
  /** The name that the operator has given the server in place of the one of its settings. */
  readonly givenName: () => Promise<string | undefined>
}

type Config = HubConfig &
  HttpConfig &
  StorageEndConfig &
  Pick<AccountsConfig, 'signupUnits'> &
  StorageGrowthConfig &
  Pick<StorageConfig, 'network'> & {
    readonly registryUrl: string | undefined
    readonly registrySigners: readonly Uint8Array[]
    readonly serverName: string | undefined
    readonly subscribeLimit: number
  }

export type HubModule = Module & {
  readonly hub: Hub
  /** What happens, for everything in this process that follows it. */
  readonly feed: LogFeed
  /** For other interfaces that present the same reads. */
  readonly reads: HubReads
  /** Where they cache their answers. */
  readonly cache: AnswerCache
}

export function createHubModule(
  context: ModuleContext,
  config: Config,
  options: HubModuleOptions,
): HubModule {
  const { storage, clock, mode } = context
  const { names, ownNames, evm, chainStatus, signingNetwork } = options
  const settings = settingsOf(mode, config, options)
  const json = new HubJsonWriter(settings.json)
  const feed: LogFeed = new LogFeed({
    events: storage.published.events,
    end: logEndOf(storage),
    resets: storage.resets,
    signals: storage.signals,
    json,
    log: context.logger,
    metrics: createFeedMetrics(context.metrics, () => feed.subscriptions),
  })
  const hub = new Hub({
    storage,
    clock,
    settings,
    mergeScript: options.mergeScript,
    forwarder: options.forwarder,
    onMerged: () => storage.signals.announce('events'),
    names: names ?? remoteFeed(config, context) ?? ownNames ?? NO_NAMES,
    ethereum: createEthereum(evm),
    chainId: () => signingNetwork().chainId,
    keyDomain: () => gaslessKeyDomain(accountDomains(signingNetwork()).keyRegistry),
    metrics: ({ queueDepth }) =>
      new HubMetrics(context.metrics, {
        isLeader: context.jobs.isLeader,
        queueDepth,
        newestEventId: storage.events.newestId,
        messages: storage.messages.count,
        sizeBytes: storage.sizeBytes,
      }),
    onError: context.onError,
    log: context.logger,
  })
  const reads = new HubReads({
    storage,
    clock,
    settings,
    signingNetwork,
    following: chainStatus,
    mirror: options.mirror,
    givenName: options.givenName,
    isPartial: options.isPartial,
    askForName: () => hub.askForName(),
    log: logEndOf(storage),
  })
  const cache = new AnswerCache(ANSWER_CACHE_BYTES)
  const streams = createEventStreams({
    feed,
    maxPerClient: EVENT_STREAMS_PER_SUBSCRIPTION * config.subscribeLimit,
  })
  return {
    name: 'hub',
    hub,
    feed,
    reads,
    cache,
    jobs: hub.jobs,
    onMerged: (...merged) => hub.onAccountEvents(...merged),
    onReorg: (...removed) => hub.onAccountEventsReorged(...removed),
    serves: {
      name: 'hub',
      title: 'Rookery hub',
      description: 'Signed messages in; casts, reactions, links, profiles and events out.',
      errors: 'hub',
      host: config.host,
      port: config.hubPort,
      basicAuth: parseCredentials(config.rpcAuth),
      limits: { submit: perMinute(mode, config.submitLimit) },
      cache,
    },
    routes: { hub: hubRoutes({ hub, reads, streams, json }) },
    endRequests: () => void feed.close(),
    async stop() {
      await hub.close()
      await feed.close()
    },
  }
}

const NO_NAMES: NameFeed = { transfersAfter: async () => [] }

/** The registry of another server, when the settings name one. */
function remoteFeed(config: Config, { logger }: ModuleContext): NameFeed | undefined {
  if (!config.registryUrl) return undefined
  return remoteNames({
    url: config.registryUrl,
    signers: config.registrySigners,
    onInvalid: (transferId, why) => logger.warn({ transferId, why }, 'name transfer left out'),
  })
}

const growthTerms = ({ signupUnits, storageDays }: Config) => ({ signupUnits, storageDays })

function settingsOf(
  mode: Mode,
  config: Config,
  { isMirror, refusesSubmits }: Pick<HubModuleOptions, 'isMirror' | 'refusesSubmits'>,
): HubSettings {
  return {
    isMirror,
    refusesSubmits,
    network: config.network,
    // What a mirrored hub has stored is of its network.
    acceptedNetwork: isMirror ? config.network : acceptedNetwork(mode, config.network),
    storageEnds: storageEnds(config),
    growth: storageGrows(config) ? growthTerms(config) : undefined,
    nickname: config.serverName || DEFAULT_SERVER_NAME,
    version: VERSION,
    json: config.json,
    revokeOnKeyRemoval: config.revokeOnKeyRemoval,
    enforceBlocks: config.enforceBlocks,
    publicUrl: config.publicUrl,
    eventRetentionMs: EVENT_RETENTION_MS,
  }
}
