import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DEPLOYED_CHAIN_CONTRACTS } from './accounts/chain/contracts.ts'
import { rpcTo } from './accounts/chain/evm-client.ts'
import { createFollowers, type Followers } from './accounts/chain/followers.ts'
import { createRpcBudget } from './accounts/chain/rpc-budget.ts'
import { START_BLOCKS } from './accounts/chain/settings.ts'
import { type ChainSource, claimSources, followed } from './accounts/chain/source.ts'
import { createEvmClients, type EthereumUrls } from './accounts/evm.ts'
import { createLedger, type Ledger, ledgerKeyCalls } from './accounts/ledger.ts'
import type { Accounts, KeyCalls, OnMerged, OnReorg } from './accounts/port.ts'
import { storedAccounts } from './accounts/reads.ts'
import { createChainKeyCalls } from './accounts/relay/key-calls.ts'
import { relayLimits } from './accounts/relay/settings.ts'
import { accountRoutes, followedAccountRoutes, operatorAccountRoutes } from './accounts/routes.ts'
import { verifySignature, walletSignatures } from './accounts/signature.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { parseCredentials } from './http/auth.ts'
import { createInterface, type Interface, type InterfaceOptions } from './http/interface.ts'
import { createLogger, type Logger } from './http/logger.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import type { Route } from './http/route.ts'
import { createEthereum } from './hub/ethereum.ts'
import { createHub, type Hub } from './hub/hub.ts'
import { createHubMetrics } from './hub/metrics.ts'
import type { NameFeed } from './hub/names.ts'
import { HubReads } from './hub/reads.ts'
import { remoteNames } from './hub/remote-names.ts'
import { hubRoutes } from './hub/routes.ts'
import { EVENT_RETENTION_MS, type HubSettings } from './hub/settings.ts'
import { operatorAuth } from './ops/operator-auth.ts'
import { operationsRoutes } from './ops/routes.ts'
import { EXPOSED_HEADERS, SECURITY_HEADERS } from './platform/headers.ts'
import {
  failApproved,
  followAccounts,
  reopenRequests,
} from './platform/key-requests/account-events.ts'
import { createPlatform, type Platform } from './platform/platform.ts'
import { operatorPlatformRoutes, platformRoutes } from './platform/routes.ts'
import type { PlatformSettings } from './platform/settings.ts'
import { toHex } from './protocol/bytes.ts'
import { accountDomains, DEPLOYED_CONTRACTS } from './protocol/eip712.ts'
import { registryFeed } from './registry/feed.ts'
import { loadServerKey } from './registry/key.ts'
import { createRegistryMetrics } from './registry/metrics.ts'
import { createRegistry, type Registry } from './registry/registry.ts'
import { registryRoutes } from './registry/routes.ts'
import { MAX_BODY_BYTES, type RegistrySettings } from './registry/settings.ts'
import { claimSigner } from './registry/signer.ts'
import { networkName } from './storage/settings.ts'
import { openStorage, type Storage } from './storage/storage.ts'
import { VERSION } from './version.ts'

/** The operations interface is for who runs the machine. */
const LOOPBACK = '127.0.0.1'
const MS_PER_SECOND = 1_000
const SECONDS_PER_MINUTE = 60
const SECONDS_PER_DAY = 24 * 3_600

export type AppOptions = {
  readonly config: Config
  readonly clock?: Clock
  readonly logger?: Logger
  /** Where the hub learns names, unless from the registry that the settings say. */
  readonly names?: NameFeed
  /** Runs before anything listens. */
  readonly prepare?: (services: Services) => Promise<void>
  /** Further routes of the operations interface. */
  readonly opsRoutes?: (services: Services) => readonly Route[]
  /** Further routes of the client platform's interface. */
  readonly platformRoutes?: (services: Services) => readonly Route[]
}

/** `registry` may be another server's. */
export type Urls = {
  readonly [Interface in 'hub' | 'registry' | 'platform' | 'accounts' | 'operations']: string
}

/** What works inside a server. */
export type Services = {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  readonly storage: Storage
  readonly accounts: Accounts
  /** Undefined when accounts come from a chain. */
  readonly ledger: Ledger | undefined
  /** What is followed; nothing when accounts are the ledger's. */
  readonly followers: Followers
  /** What users sign about keys, on its way to wherever accounts are kept. */
  readonly keyCalls: KeyCalls
  readonly hub: Hub
  /** Undefined when names come from another server's. */
  readonly registry: Registry | undefined
  readonly platform: Platform
}

/** The whole server, wired and listening. */
export type App = Services & {
  readonly urls: Urls
  /** Takes no more requests, answers those it has, stores what it accepted, then closes the store. */
  stop(): Promise<void>
}

/**
 * Opens the store, starts the services and their interfaces. When anything fails, what had been
 * started is stopped again.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, clock = systemClock } = options
  const logger = options.logger ?? createLogger({ level: config.logLevel })
  const metrics = createMetrics()
  const { storage, serverKey } = await openData(config, logger)
  const onError = (error: unknown, what: string) => logger.error({ err: error, what }, 'failed')
  const settings = hubSettings(config)
  /** Aborts RPC requests when the program stops. */
  const ended = new AbortController()
  const evm = createEvmClients({
    urls: ethereumUrls(config),
    budget: createRpcBudget(config.rpcBudget, metrics.registry),
    signal: ended.signal,
  })
  const hub = createHub({
    storage,
    clock,
    settings,
    names: options.names ?? nameFeed(config, storage, logger),
    ethereum: createEthereum(evm),
    metrics: ({ queueDepth }) =>
      createHubMetrics(metrics.registry, {
        queueDepth,
        newestEventId: storage.events.newestId,
        messages: storage.messages.count,
        sizeBytes: storage.sizeBytes,
      }),
    onError,
    log: logger,
  })
  const accounts = storedAccounts(storage, clock, config.network)
  const sources = chainSources(config)
  const now = () => Math.floor(clock.now() / 1000)
  const onMerged: OnMerged = async (tx, log, events) => {
    await hub.onAccountEvents(tx, log, events)
    await followAccounts(tx, events, now())
  }
  const onReorg: OnReorg = async (tx, events) => {
    await hub.onAccountEventsReorged(tx, events)
    await tx.relays.reopen(events.map(({ transactionHash }) => transactionHash))
    await reopenRequests(tx, events, now())
  }
  const domains = accountDomains({
    chainId: config.chainId,
    contracts: { ...DEPLOYED_CONTRACTS, ...config.chainContracts },
  })
  const verifyAsContracts = walletSignatures(evm, config.chainId, verifySignature)
  const ledger =
    sources.length > 0
      ? undefined
      : createLedger({
          storage,
          clock,
          settings: {
            network: config.network,
            domains,
            signupUnits: config.signupUnits,
            confirmationMs: config.confirmationMs,
          },
          onMerged,
          verify: verifyAsContracts,
        })
  const stopConfirming = ledger?.startConfirming((error) => onError(error, 'confirm'))
  const followers = createFollowers(
    { storage, clock, onMerged, onReorg, metrics: metrics.registry, log: logger },
    sources,
  )
  const chainKeys = ledger
    ? undefined
    : await createChainKeyCalls({
        ...chainKeyOptions(config, ended.signal),
        routeRpc: evm.rpc(config.chainId),
        storage,
        clock,
        metrics: metrics.registry,
        onFailed: (tx, call) => failApproved(tx, call, now()),
        onError: (error, what) => {
          if (!ended.signal.aborted) onError(error, what)
        },
      })
  const keyCalls = ledger ? ledgerKeyCalls(ledger) : chainKeys!.keyCalls

  const registry =
    serverKey &&
    createRegistry({
      storage,
      clock,
      accounts,
      settings: registrySettings(config, serverKey),
      verify: walletSignatures(evm, config.chainId),
      metrics: createRegistryMetrics(metrics.registry),
      onTransfer: hub.onNameTransfer,
    })

  const platform = createPlatform({
    storage,
    clock,
    accounts,
    verify: walletSignatures(evm, config.chainId),
    verifyAsContracts,
    keyCalls,
    domains,
    settings: platformSettings(config),
    randomBytes,
    onError,
  })

  const works = { accounts, ledger, followers, keyCalls, hub, registry, platform }
  const services: Services = { config, clock, logger, storage, ...works }
  const interfaces: Interface[] = []
  let stopFollowing: (() => Promise<void>) | undefined
  let stopRelaying: (() => Promise<void>) | undefined
  const stop = async () => {
    platform.endStreams()
    await Promise.all(interfaces.map((one) => one.close()))
    ended.abort()
    await stopRelaying?.()
    await stopFollowing?.()
    await stopConfirming?.()
    await platform.stop()
    await hub.close()
    await storage.close()
  }
  const listen = async (host: string, port: number, parts: InterfaceParts): Promise<string> => {
    const made = createInterface({ ...commonOptions(config, logger, metrics), ...parts })
    interfaces.push(made)
    return (await made.listen(host, port)).url
  }

  try {
    if (registry) await announceSigner(config, storage, logger, registry.signer)
    stopFollowing = followers.start()
    stopRelaying = chainKeys?.start()
    await options.prepare?.(services)
    // Not before, so that the first set is not one of nobody.
    platform.badges.start()
    const hubUrl = await listen(config.host, config.hubPort, {
      name: 'hub',
      title: 'Rookery hub',
      description: 'Signed messages in; casts, reactions, links, profiles and events out.',
      errors: 'hub',
      routes: hubRoutes(
        hub,
        new HubReads(storage, clock, settings, () => followers.status()[0]),
        settings,
      ),
      basicAuth: parseCredentials(config.rpcAuth),
      limits: { submit: perMinute(config, config.submitLimit) },
    })
    const accountsUrl = await listen(config.host, config.accountsPort, {
      name: 'accounts',
      title: 'Rookery accounts',
      description: ledger
        ? 'The account ledger: fids, custody, keys and storage, by signed calls.'
        : 'Fids, custody, keys and storage, as a chain has them.',
      errors: 'plain',
      routes: ledger
        ? accountRoutes(ledger)
        : followedAccountRoutes(accounts, { chainId: config.chainId, domains }),
      limits: { write: perMinute(config, config.accountsLimit) },
    })
    const registryUrl = registry
      ? await listen(config.host, config.registryPort, {
          name: 'registry',
          title: 'Rookery name registry',
          description: 'Names, who holds them, and every change of hands.',
          errors: 'registry',
          routes: registryRoutes(registry),
          limits: { write: perMinute(config, config.registryLimit) },
          lenientPaths: true,
          bodyLimitBytes: MAX_BODY_BYTES,
        })
      : config.registryUrl!
    const platformUrl = await listen(config.host, config.platformPort, {
      name: 'platform',
      title: 'Rookery client platform',
      description: 'Channels, follows, badges, actions, blocks, and keys for apps.',
      errors: 'platform',
      routes: [...platformRoutes(platform), ...(options.platformRoutes?.(services) ?? [])],
      limits: { all: { ...perTenSeconds(config, config.platformLimit), announced: true } },
      exposedHeaders: EXPOSED_HEADERS,
      headers: SECURITY_HEADERS,
    })
    platform.listensAt(platformUrl)
    const operations = await listen(LOOPBACK, config.opsPort, {
      name: 'operations',
      title: 'Rookery operations',
      description: 'Health, metrics and what only the operator may do.',
      errors: 'plain',
      routes: [
        ...operationsRoutes({
          checks: [{ name: 'storage', check: storage.ping }],
          registry: metrics.registry,
          operatorSecret: config.opsToken,
          ...(chainKeys && {
            details: { chain: () => followers.status(), relayer: chainKeys.status },
          }),
        }),
        ...operatorRoutes(config, [
          ...(ledger ? operatorAccountRoutes(ledger) : []),
          ...operatorPlatformRoutes(platform),
        ]),
        ...(options.opsRoutes?.(services) ?? []),
      ],
    })
    const urls = {
      hub: hubUrl,
      registry: registryUrl,
      platform: platformUrl,
      accounts: accountsUrl,
      operations,
    }
    return { ...services, urls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The store that the settings name. */
export const openStore = (config: Config): Promise<Storage> =>
  openStorage({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    network: networkName(config.network),
    postgresLimits: {
      readConnections: config.databaseReadConnections,
      writeConnections: config.databaseWriteConnections,
      statementTimeoutMs: config.databaseTimeoutSeconds * MS_PER_SECOND,
      connectTimeoutMs: config.databaseConnectTimeoutSeconds * MS_PER_SECOND,
    },
  })

/** The store and the key that signs names here. The key is made only once the directory is ours. */
async function openData(config: Config, logger: Logger) {
  const storage = await openStore(config)
  try {
    await claimSources(storage, chainSources(config))
    return { storage, serverKey: config.registryUrl ? undefined : getServerKey(config, logger) }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** Where accounts are followed from, and tiers; nothing when accounts are the ledger's. */
export function chainSources(config: Config): ChainSource[] {
  const { chainRpcUrls, tierRpcUrls, chainId, tierChainId } = config
  const contracts = { ...DEPLOYED_CHAIN_CONTRACTS, ...config.chainContracts }
  const common = { confirmations: config.chainConfirmations, pollMs: config.chainPollMs }
  const accounts: ChainSource = {
    ...common,
    name: 'accounts',
    urls: chainRpcUrls,
    chainId,
    startBlock: config.chainStartBlock ?? START_BLOCKS[chainId] ?? 1,
    contracts: followed('accounts', contracts),
  }
  const tiers: ChainSource = {
    ...common,
    name: 'tiers',
    urls: tierRpcUrls,
    chainId: tierChainId,
    startBlock: config.tierStartBlock ?? START_BLOCKS[tierChainId] ?? 1,
    contracts: followed('tiers', contracts),
  }
  return [accounts, tiers].filter(({ urls }) => urls.length > 0)
}

function chainKeyOptions(config: Config, signal: AbortSignal) {
  const { chainId, chainRpcUrls, chainConfirmations, relayerKey } = config
  return {
    rpc: rpcTo(chainRpcUrls, chainId, { signal }),
    chainId,
    contracts: { ...DEPLOYED_CHAIN_CONTRACTS, ...config.chainContracts },
    confirmations: chainConfirmations,
    relayerKey,
    limits: relayLimits(config),
  }
}

/** Where chains are asked; the chain that is followed knows its own contract wallets. */
function ethereumUrls({ chainId, chainRpcUrls, ethRpcUrls }: Config): EthereumUrls {
  const given = Object.entries(ethRpcUrls).map(([id, url]) => [id, [url]] as const)
  return {
    ...(chainRpcUrls.length > 0 && { [chainId]: chainRpcUrls }),
    ...Object.fromEntries(given),
  }
}

type InterfaceParts = Pick<
  InterfaceOptions,
  | 'name'
  | 'title'
  | 'description'
  | 'errors'
  | 'routes'
  | 'basicAuth'
  | 'limits'
  | 'lenientPaths'
  | 'bodyLimitBytes'
  | 'exposedHeaders'
  | 'headers'
>

function commonOptions(config: Config, logger: Logger, metrics: Metrics) {
  return {
    version: VERSION,
    corsOrigin: config.corsOrigin,
    trustedProxies: config.trustedProxies,
    logger,
    metrics: metrics.http,
  }
}

/** Operator calls need a token in production; on a developer's machine loopback is enough. */
function operatorRoutes(config: Config, routes: readonly Route[]): Route[] {
  if (config.mode === 'production' && config.opsToken === undefined) return []
  return operatorAuth(config.opsToken, routes)
}

/**
 * Loopback is exempt in development only: in production it may be a TLS proxy that nobody named as trusted,
 * and then all clients have its address.
 */
const limitOf = ({ mode }: Config, max: number, windowSeconds: number) => ({
  max,
  windowSeconds,
  exemptLoopback: mode === 'development',
})
const perMinute = (config: Config, max: number) => limitOf(config, max, SECONDS_PER_MINUTE)
/** The deployed platform's window. */
const perTenSeconds = (config: Config, max: number) => limitOf(config, max, 10)

function nameFeed(config: Config, storage: Storage, logger: Logger): NameFeed {
  if (!config.registryUrl) return registryFeed(storage)
  return remoteNames({
    url: config.registryUrl,
    signers: config.registrySigners,
    onInvalid: (transferId, why) => logger.warn({ transferId, why }, 'name transfer left out'),
  })
}

/** The key of the settings, or that of the data directory, which is made when there is none. */
function getServerKey(config: Config, logger: Logger): Uint8Array {
  if (config.registryKey) return config.registryKey
  const file = join(config.dataDir, 'registry.key')
  const { key, isNew } = loadServerKey(file)
  if (isNew) logger.warn({ file }, 'made a key to sign names with; keep a copy of it')
  return key
}

async function announceSigner(
  config: Config,
  storage: Storage,
  logger: Logger,
  signer: Uint8Array,
): Promise<void> {
  const mayChange = config.registryKey !== undefined
  const { before } = await claimSigner(storage, signer, { mayChange })
  logger.info({ signer: toHex(signer) }, 'names are signed by')
  if (before)
    logger.warn({ before, signer: toHex(signer) }, 'names have another signer from now on')
}

function registrySettings(config: Config, serverKey: Uint8Array): RegistrySettings {
  return {
    serverKey,
    changeIntervalSeconds: config.nameChangeDays * SECONDS_PER_DAY,
    reservedNames: config.reservedNames,
    admins: config.registryAdmins,
    domains: config.ensDomains,
    resolver: config.ensResolver,
    limits: { perFid: config.registryFidLimit, total: config.registryTotalLimit },
  }
}

function platformSettings(config: Config): PlatformSettings {
  return {
    tokenLifetimeSeconds: config.tokenLifetimeSeconds,
    channelUrlBase: config.channelUrlBase,
    channelsPerFid: config.channelsPerFid,
    appScheme: config.appScheme,
    publicUrl: config.platformPublicUrl,
    badges: {
      seeds: config.badgeSeeds,
      part: config.badgePercent / 100,
      max: config.badgeMax,
    },
    fetchLoopback: config.fetchLoopback,
  }
}

function hubSettings(config: Config): HubSettings {
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
  }
}
