import type { Config } from './config.ts'
import { createAppModule } from './features/app-api/module.ts'
import { createBackupModule } from './features/backups/module.ts'
import { inviteCodes } from './features/invites/invites.ts'
import { createInviteModule } from './features/invites/module.ts'
import { failApproved, type RefusedCall } from './features/key-requests/account-events.ts'
import { createMediaModule } from './features/media/module.ts'
import { readEmbed } from './features/mini-apps/embed.ts'
import { claimMirror } from './features/mirror/claim.ts'
import { createMirrorModule, type MirrorModule, refusesSubmits } from './features/mirror/module.ts'
import { createModerationModule } from './features/moderation/module.ts'
import { createOpsModule } from './features/operations/module.ts'
import { actingOn } from './features/platform/acting.ts'
import { createPlatformModule } from './features/platform/module.ts'
import { registryFeed } from './features/registry/feed.ts'
import { createRegistryModule } from './features/registry/module.ts'
import { createRelayModule } from './features/relay/module.ts'
import { serverTextRows } from './features/server-face/tables/server-texts.ts'
import { createSignInModule } from './features/sign-in/module.ts'
import { createWebModule } from './features/web/module.ts'
import { keyCallsElsewhere } from './kernel/accounts/elsewhere.ts'
import { ledgerKeyCalls } from './kernel/accounts/ledger.ts'
import { createAccountsModule } from './kernel/accounts/module.ts'
import { createEvmModule } from './kernel/accounts/signatures/evm-module.ts'
import { type Clock, systemClock, unixSeconds } from './kernel/base/clock.ts'
import { collectWhenIdle, SERVING } from './kernel/base/idle-memory.ts'
import { createGrpcModule } from './kernel/grpc/module.ts'
import { createLogger, type Logger } from './kernel/http/logger.ts'
import { createMetrics } from './kernel/http/metrics.ts'
import { createRecentErrors, type RecentErrors } from './kernel/http/recent-errors.ts'
import type { RequestInfo } from './kernel/http/route.ts'
import { followerNews } from './kernel/hub/moderated.ts'
import { createHubModule } from './kernel/hub/module.ts'
import type { NameFeed } from './kernel/hub/names.ts'
import { keyMessagesOf, submitMessages } from './kernel/hub/submit/submit-messages.ts'
import { Runner } from './kernel/jobs/runner.ts'
import { createLifecycle, type Lifecycle } from './kernel/lifecycle.ts'
import { CostBudget, costLimitsOf } from './kernel/limits/cost-budget.ts'
import { createLoadShare } from './kernel/limits/load-share.ts'
import { UnreadableHops } from './kernel/limits/unreadable-hops.ts'
import type { Module, ModuleContext } from './kernel/module.ts'
import { networkName } from './kernel/protocol/network-name.ts'
import { claimMode, claimStoreId, storeIdOf } from './kernel/storage/engines/data-mode.ts'
import { storageSettingsOf } from './kernel/storage/from-config.ts'
import { encodeStored } from './kernel/storage/messages/message-rows.ts'
import { joinStorage, type Storage, type Writer } from './kernel/storage/storage.ts'
import { createViewsModule } from './kernel/views/module.ts'
import type { App, Services, Urls } from './services.ts'
import { openWholeStore, SCHEMA } from './store.ts'

export type { App, Services } from './services.ts'

// Threads that read the tables of several features.
const VIEWS_THREAD = new URL('./threads/views-thread.ts', import.meta.url)
const MERGE_THREAD = new URL('./threads/merge-thread.ts', import.meta.url)
const BACKUP_THREAD = new URL('./threads/backup-thread.ts', import.meta.url)

export type AppOptions = {
  readonly config: Config
  readonly clock?: Clock
  readonly logger?: Logger
  /** Where the hub learns names; unless given, from the registry that the settings name. */
  readonly names?: NameFeed
  /** Further modules. They start after the services exist and before any interface listens. */
  readonly modules?: (services: Services) => readonly Module[]
}

/**
 * Opens the store, starts the modules and their interfaces. When anything fails, what had been started is
 * stopped again.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, clock = systemClock } = options
  collectWhenIdle(SERVING)
  const recentErrors = createRecentErrors(systemClock.now)
  const logger = recentErrors.remembering(
    options.logger ?? createLogger({ level: config.logLevel }),
  )
  const metrics = createMetrics()
  const storage = await openStore(config)
  const jobs = new Runner({ storage, metrics: metrics.registry, log: logger })
  const costs = new CostBudget(costLimitsOf(config, config.mode))
  const hops = new UnreadableHops((text) => logger.warn(text))
  const context: ModuleContext = {
    mode: config.mode,
    storage,
    clock,
    logger,
    metrics: metrics.registry,
    jobs,
    onError: (error, what) => logger.error({ err: error, what }, 'failed'),
  }
  const lifecycle = createLifecycle(context, config, { costs, metrics: metrics.http, hops })
  const stop = async () => {
    await lifecycle.stop()
    await storage.close()
  }
  try {
    for (const { found, mend } of await storage.cautions()) logger.warn({ mend }, found)
    await claimMode(storage, config.mode)
    await claimStoreId(storage)
    const services = await addModules(options, { ...context, costs, hops, recentErrors }, lifecycle)
    const urls = { registry: config.registryUrl, ...(await lifecycle.start()) } as Urls
    return { ...services, urls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Makes the modules, in the order in which they start, and passes each what it needs of the others. */
async function addModules(
  { config, names, modules: createFurther }: AppOptions,
  context: ModuleContext & {
    readonly costs: CostBudget
    readonly hops: UnreadableHops
    readonly recentErrors: RecentErrors
  },
  { modules, add }: Lifecycle,
): Promise<Services> {
  const { costs, hops, recentErrors, storage, clock, logger, jobs } = context
  const ownId = await storeIdOf(storage)
  const isMirror = config.mirrorUrls.length > 0 || config.mirrorEnded
  await claimMirror(storage, config)
  add(createLoadShare(context))
  const { evm } = add(createEvmModule(context, config))
  const { views, deliveries } = add(
    createViewsModule(context, config, {
      queueDepth: () => hub.queueDepth(),
      isMirror,
      script: VIEWS_THREAD,
    }),
  )
  const { hub, reads, feed, cache } = add(
    createHubModule(context, config, {
      mergeScript: MERGE_THREAD,
      names,
      ownRegistry: registryFeed(storage),
      evm,
      chainStatus: () => accountsModule.followers.status()[0],
      signingNetwork: () => accountsModule.signingNetwork,
      authority: isMirror ? 'source' : 'own',
      refusesSubmits: isMirror ? refusesSubmits(config) : undefined,
      isPartial: config.mirrorUrls.length > 0 && config.mirrorScope === 'chosen',
      forwarder: () => mirrorModule.forwarder,
      mirror: () => mirrorModule.info?.(),
      givenName: () => storage.replica.of(serverTextRows).get('name'),
    }),
  )
  const actorOf = (request: RequestInfo) => platform.context.actorOf(request)
  const accountsModule = add(
    await createAccountsModule(context, config, {
      evm,
      modules,
      isMirror,
      invites: inviteCodes,
      checkToken: actorOf,
    }),
  )
  const { accounts, ledger, followers, signingNetwork, verifiers } = accountsModule
  const { domains, keyRequestDomains } = accountsModule
  if (ledger) add(await createInviteModule(context, config, actorOf))
  const mirrorModule: MirrorModule = add(
    createMirrorModule(context, config, { hub, accounts: accountsModule, ownId }),
  )
  const onFailed = (tx: Writer, call: RefusedCall) => failApproved(tx, call, unixSeconds(clock))
  const followsChain = config.chainRpcUrls.length > 0
  const keyCalls = ledger
    ? ledgerKeyCalls(ledger)
    : followsChain
      ? add(await createRelayModule(context, config, { evm, onFailed })).keyCalls
      : keyCallsElsewhere
  const registry =
    config.registryUrl || isMirror
      ? undefined
      : add(
          await createRegistryModule(context, config, {
            accounts,
            verify: verifiers.verify,
            chainId: signingNetwork.chainId,
            onTransfer: (transfers) => hub.onNameTransfer(transfers),
          }),
        ).registry
  const platformModule = createPlatformModule(context, config, {
    accounts,
    verifiers,
    keyCalls,
    keyMessages: keyMessagesOf(hub, config.network),
    domains,
    keyRequestDomains,
    accountsHome: { ...signingNetwork, network: networkName(config.network) },
  })
  const { platform } = platformModule
  const services = {
    config,
    clock,
    logger,
    storage,
    jobs,
    accounts,
    ledger,
    followers,
    signingNetwork,
    keyCalls,
    hub,
    mirrorStatus: mirrorModule.status,
    registry,
    platform,
    views,
  }
  for (const module of createFurther?.(services) ?? []) add(module)
  const { media, renderer } = add(
    await createMediaModule(context, config, { actorOf: platform.context.actorOf }),
  )
  const web = createWebModule(context, config, {
    renderer,
    media,
    mayFrame: (domain) => platform.miniApps.catalogue.mayFrame(domain),
    readCard: (content, page) =>
      platform.miniApps.isOff
        ? undefined
        : readEmbed(content, page, { allowLoopback: config.fetchLoopback }).embed,
  })
  add(
    createModerationModule(context, {
      accounts,
      verify: verifiers.verify,
      domain: domains.idRegistry,
      network: networkName(config.network),
      actorOf: platform.context.actorOf,
      callerOf: platform.context.callerOf,
      staffCalls: [...web.operatorRoutes, ...(platformModule.operatorRoutes ?? [])],
      encode: encodeStored,
      news: followerNews,
      takeName: registry && ((held, record) => registry.takeBack(held, record)),
      erasers: () => modules.flatMap(({ erase }) => erase ?? []),
      removeFile: (url, record) => media.removeFile(url, record),
      uploadersOf: (url) => media.uploadersOf(url),
      exportFile: (fid, after) => media.exportFile(fid, after),
    }),
  )
  // After them, so that a development network has its accounts before the first badges are computed.
  add(platformModule)
  const { publicUrl } = platform.context
  const owned = { domain: domains.idRegistry, network: networkName(config.network) }
  const { appSignIn } = add(
    createSignInModule(context, config, { accounts, verifiers, ...owned, publicUrl }),
  )
  if (views && deliveries) {
    add(
      createAppModule(context, config, {
        views,
        isReservedName: registry?.isReservedName ?? (() => false),
        platform: actingOn(platform),
        miniApps: platform.miniApps.acting,
        submitAll: (messages) => submitMessages(hub, messages),
        deliveries,
        signIn: appSignIn,
        previews: web.previews,
        contact: web.contact,
        media,
        registrations: ledger,
      }),
    )
  }
  const { path } = mirrorModule
  add(createGrpcModule(context, config, { hub, reads, feed, costs, hops, cache, ownId, path }))
  add(web)
  add(createBackupModule(context, config, { script: BACKUP_THREAD }))
  add(createOpsModule(context, config, { modules, recentErrors, hops }))
  return services
}

/** The store that the settings name. */
export const openStore = (config: Config): Promise<Storage> =>
  openWholeStore(storageSettingsOf(config))

/** The same store to read from, while a server has it open: nothing is migrated and nothing claimed. */
export const joinStore = (config: Config): Storage =>
  joinStorage(storageSettingsOf({ ...config, views: false }), SCHEMA)
