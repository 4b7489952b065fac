import type { FollowerStatus } from '../accounts/chain/follower.ts'
import type { EvmClients } from '../accounts/evm.ts'
import type { SigningNetwork } from '../accounts/signing-network.ts'
import { parseCredentials } from '../http/auth.ts'
import { KeptAnswers } from '../http/kept-answers.ts'
import type { HttpConfig } from '../http/settings.ts'
import { type Module, type ModuleContext, perMinute } from '../module.ts'
import type { Envelope } from '../storage/envelopes.ts'
import type { StorageConfig } from '../storage/settings.ts'
import type { StorageSettings } from '../storage/storage.ts'
import { VERSION } from '../version.ts'
import { createEthereum } from './ethereum.ts'
import { createEventFeed, type LogFeed } from './event-feed-reader.ts'
import { createEventStreams } from './event-stream.ts'
import { createHub, type Hub } from './hub.ts'
import { createFeedMetrics, createHubMetrics } from './metrics.ts'
import type { NameFeed } from './names.ts'
import type { ReadThreadSettings } from './read-thread.ts'
import { HubReads } from './reads.ts'
import { remoteNames } from './remote-names.ts'
import { ANSWERS_SHARE, renderedReads } from './rendered-reads.ts'
import { hubRoutes } from './routes.ts'
import { EVENT_RETENTION_MS, type HubConfig, type HubSettings } from './settings.ts'
import { EVENT_ID_HEADER } from './submit-routes.ts'

type HubModuleOptions = {
  /** Where the hub learns names; unless given, from the registry that the settings name. */
  readonly names: NameFeed | undefined
  /** The registry of this server. */
  readonly ownRegistry: NameFeed
  readonly evm: EvmClients
  /** How far the accounts' chain is followed; undefined when accounts are the ledger's. */
  readonly chainStatus: () => FollowerStatus | undefined
  /** What signatures about accounts are made for. */
  readonly signingNetwork: () => SigningNetwork
}

type Config = HubConfig &
  HttpConfig &
  Pick<StorageConfig, 'network' | 'shards'> & {
    readonly registryUrl: string | undefined
    readonly registrySigners: readonly Uint8Array[]
  }

type HubModule = Module & {
  readonly hub: Hub
  /** What happens, for everything in this process that follows it. */
  readonly feed: LogFeed
  /** For other interfaces that present the same reads. */
  readonly reads: HubReads<Envelope>
  /** Where they keep what they answer again. */
  readonly answers: KeptAnswers
}

export function createHubModule(
  context: ModuleContext,
  config: Config,
  { names, ownRegistry, evm, chainStatus, signingNetwork }: HubModuleOptions,
): HubModule {
  const { storage, clock, mode } = context
  const settings = settingsOf(config)
  const feed = createEventFeed({
    events: storage.published.events,
    signals: storage.signals,
    json: settings.json,
    log: context.logger,
    metrics: createFeedMetrics(context.metrics, () => feed.subscriptions),
  })
  const hub = createHub({
    storage,
    clock,
    settings,
    onMerged: () => storage.signals.announce('events'),
    names: names ?? remoteFeed(config, context) ?? ownRegistry,
    ethereum: createEthereum(evm),
    metrics: ({ queueDepth }) =>
      createHubMetrics(context.metrics, {
        queueDepth,
        newestEventId: storage.events.newestId,
        messages: storage.messages.count,
        sizeBytes: storage.sizeBytes,
      }),
    onError: context.onError,
    log: context.logger,
  })
  const readsOptions = {
    storage: { ...storage, ...storage.replica },
    clock,
    settings,
    signingNetwork,
    following: chainStatus,
  }
  const reads = new HubReads({
    ...readsOptions,
    messages: storage.replica.published.envelopes,
    log: storage.events,
  })
  const rendered = renderedReads(readsOptions, storage, config.renderedBytes)
  const answers = new KeptAnswers(config.renderedBytes * ANSWERS_SHARE)
  const streams = createEventStreams({ feed, maxPerClient: config.eventStreamLimit })
  return {
    name: 'hub',
    hub,
    feed,
    reads,
    answers,
    jobs: hub.jobs,
    onMerged: hub.onAccountEvents,
    onReorg: hub.onAccountEventsReorged,
    serves: {
      name: 'hub',
      title: 'Rookery hub',
      description: 'Signed messages in; casts, reactions, links, profiles and events out.',
      errors: 'hub',
      host: config.host,
      port: config.hubPort,
      basicAuth: parseCredentials(config.rpcAuth),
      limits: { submit: perMinute(mode, config.submitLimit) },
      exposedHeaders: [EVENT_ID_HEADER],
      keptAnswers: answers,
      threads: readThreads(config, storage.settings, settings),
    },
    routes: { hub: hubRoutes(hub, rendered, streams, settings) },
    endRequests: () => void feed.close(),
    async stop() {
      await hub.close()
      await feed.close()
    },
  }
}

/** The registry of another server, when the settings name one. */
function remoteFeed(config: Config, { logger }: ModuleContext): NameFeed | undefined {
  if (!config.registryUrl) return undefined
  return remoteNames({
    url: config.registryUrl,
    signers: config.registrySigners,
    onInvalid: (transferId, why) => logger.warn({ transferId, why }, 'name transfer left out'),
  })
}

/** The serving threads besides the process's own. */
function readThreads(
  { readThreads, renderedBytes }: HubConfig,
  storage: StorageSettings,
  settings: HubSettings,
) {
  if (readThreads === 1) return undefined
  return {
    count: readThreads - 1,
    script: new URL('./read-thread.ts', import.meta.url),
    settings: {
      storage: { ...storage, views: false },
      settings,
      renderedBytes,
    } satisfies ReadThreadSettings,
  }
}

function settingsOf(config: HubConfig & Pick<StorageConfig, 'network' | 'shards'>): HubSettings {
  return {
    network: config.network,
    nickname: config.nickname,
    operatorFid: config.operatorFid,
    version: VERSION,
    json: { networkPrefix: config.networkPrefix, frameBytes: config.frameBytes },
    acceptDataSignatures: config.signatures === 'either',
    revokeOnKeyRemoval: config.revokeOnKeyRemoval,
    enforceBlocks: config.enforceBlocks,
    verifiers: config.verifiers,
    eventRetentionMs: EVENT_RETENTION_MS,
    shards: config.shards,
  }
}
