import type { Config } from './config.ts'
import { FEATURES } from './features/index.ts'
import { keyCallsElsewhere } from './kernel/accounts/elsewhere.ts'
import { ledgerKeyCalls } from './kernel/accounts/ledger.ts'
import { type AccountsModule, createAccountsModule } from './kernel/accounts/module.ts'
import { createEvmModule } from './kernel/accounts/signatures/evm-module.ts'
import { type Clock, systemClock } from './kernel/base/clock.ts'
import { collectWhenIdle, SERVING } from './kernel/base/idle-memory.ts'
import { createRenderer } from './kernel/base/pictures/renderer.ts'
import type { Feature } from './kernel/feature.ts'
import type { Method } from './kernel/grpc/method.ts'
import { createGrpcModule } from './kernel/grpc/module.ts'
import { createLogger, type Logger } from './kernel/http/logger.ts'
import { createMetrics } from './kernel/http/metrics.ts'
import type { InterfaceOptions } from './kernel/http/options.ts'
import { createRecentErrors, type RecentErrors } from './kernel/http/recent-errors.ts'
import { createHubModule } from './kernel/hub/module.ts'
import type { NameFeed } from './kernel/hub/names.ts'
import { Runner, type RunnerOptions } from './kernel/jobs/runner.ts'
import { createLifecycle, type Lifecycle } from './kernel/lifecycle.ts'
import { CostBudget, costLimitsOf } from './kernel/limits/cost-budget.ts'
import { createLoadShare } from './kernel/limits/load-share.ts'
import { UnreadableHops } from './kernel/limits/unreadable-hops.ts'
import type { Module, ModuleContext } from './kernel/module.ts'
import { createTokenModule } from './kernel/platform/module.ts'
import { Ports } from './kernel/ports.ts'
import {
  APPROVALS,
  CHAIN_KEY_CALLS,
  COPIED_HUB,
  COPY_TERMS,
  INVITE_CODES,
  OWN_NAMES,
  type Serving,
  WRITTEN_TEXT,
} from './kernel/server.ts'
import { claimMode, claimStoreId, storeIdOf } from './kernel/storage/engines/data-mode.ts'
import { storageSettingsOf } from './kernel/storage/from-config.ts'
import { LiveSettings } from './kernel/storage/live-settings.ts'
import type { Storage } from './kernel/storage/storage.ts'
import { createViewsModule } from './kernel/views/module.ts'
import type { App, Services, Urls } from './services.ts'
import { joinWholeStore, openWholeStore } from './store.ts'

export type { App, Services } from './services.ts'

// Threads that read the tables of several features.
const VIEWS_THREAD = new URL('./threads/views-thread.ts', import.meta.url)
const MERGE_THREAD = new URL('./threads/merge-thread.ts', import.meta.url)
const BACKUP_THREAD = new URL('./threads/backup-thread.ts', import.meta.url)

export type AppOptions = {
  readonly config: Config
  readonly clock?: Clock
  readonly logger?: Logger
  /** Of the lease by which one of several processes leads, where it differs. */
  readonly leaderTiming?: RunnerOptions['timing']
  /** Where the hub learns names; unless given, from the registry that the settings name. */
  readonly names?: NameFeed
  /** Those of the list unless given. */
  readonly features?: readonly Feature<Config>[]
  /**
   * Further modules. They are made and started before those of features, so that no job of a feature sees part of their world; they
   * ask features once they start.
   */
  readonly modules?: (services: Services) => readonly Module[]
  /** Stands before every request and every call. A development network breaks some on purpose. */
  readonly intercept?: {
    readonly requests: InterfaceOptions['intercept']
    calls(path: string, method: Method): Method
  }
}

/**
 * Opens the store, starts the modules and their interfaces. When anything fails, what had been started is
 * stopped again.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, clock = systemClock, features = FEATURES } = options
  collectWhenIdle(SERVING)
  const recentErrors = createRecentErrors(systemClock.now)
  const logger = recentErrors.remembering(
    options.logger ?? createLogger({ level: config.logLevel }),
  )
  const metrics = createMetrics()
  const storage = await openWholeStore(storageSettingsOf(config), undefined, features)
  const jobs = new Runner({
    ...{ storage, metrics: metrics.registry, log: logger },
    timing: options.leaderTiming,
  })
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
  const lifecycle = createLifecycle(context, config, {
    ...{ costs, metrics: metrics.http, hops },
    intercept: options.intercept?.requests,
  })
  const stop = async () => {
    await lifecycle.stop()
    await storage.close()
  }
  try {
    for (const { found, mend } of await storage.cautions()) logger.warn({ mend }, found)
    await claimMode(storage, config.mode)
    await claimStoreId(storage)
    const parts = { ...context, costs, hops, recentErrors }
    const services = await addModules({ ...options, features }, parts, lifecycle)
    const urls = { registry: config.registryUrl, ...(await lifecycle.start()) } as Urls
    return { ...services, urls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Parts = ModuleContext & {
  readonly costs: CostBudget
  readonly hops: UnreadableHops
  readonly recentErrors: RecentErrors
}

/** Makes the modules of the kernel, then those of the features in the order of their list. */
async function addModules(
  {
    config,
    names,
    features,
    modules: createFurther,
    intercept,
  }: AppOptions & Required<Pick<AppOptions, 'features'>>,
  context: Parts,
  { modules, add }: Lifecycle,
): Promise<Services> {
  const { costs, hops, storage } = context
  const ports = new Ports()
  const served: Serving<Config>[] = []
  for (const { serve } of features) if (serve) served.push(await serve())
  for (const { begin } of served) await begin?.({ ...context, config, offer: ports.offer })

  const written = ports.find(WRITTEN_TEXT)
  const live = new LiveSettings(storage, config.shown, written)
  const ownId = await storeIdOf(storage)
  const copy = ports.find(COPY_TERMS)
  const isMirror = copy !== undefined
  const copied = () => ports.find(COPIED_HUB)
  add(createLoadShare(context))
  const { evm } = add(createEvmModule(context, config))
  const { views, deliveries } = add(
    createViewsModule(context, config, {
      queueDepth: () => hub.queueDepth(),
      isMirror,
      script: VIEWS_THREAD,
      features: features.map(({ name }) => name),
    }),
  )
  const { hub, reads, feed, cache } = add(
    createHubModule(context, config, {
      mergeScript: MERGE_THREAD,
      names,
      ownNames: ports.find(OWN_NAMES),
      evm,
      chainStatus: () => accountsModule.followers.status()[0],
      signingNetwork: () => accountsModule.signingNetwork,
      isMirror,
      refusesSubmits: copy?.refusesSubmits,
      isPartial: copy?.isPartial ?? false,
      forwarder: () => copied()?.forwarder,
      mirror: () => copied()?.info?.(),
      givenName: async () => written?.(storage.replica, 'name'),
    }),
  )
  const accountsModule: AccountsModule = add(
    await createAccountsModule(context, config, {
      evm,
      modules,
      isMirror,
      admitting: { invites: ports.find(INVITE_CODES), approvals: ports.find(APPROVALS) },
      live,
      checkToken: (request) => platform.actorOf(request),
    }),
  )
  const { accounts, ledger, followers, signingNetwork, domains } = accountsModule
  const { keyRequestDomains, verifiers, mergeEvents } = accountsModule
  const { platform } = add(createTokenModule(context, config, accountsModule))
  const renderer = createRenderer()
  add({ name: 'pictures', stop: () => renderer.close() })
  const server: Services = {
    ...context,
    ...{ accounts, ledger, followers, signingNetwork, domains },
    ...{ keyRequestDomains, verifiers, mergeEvents },
    ...{ offer: ports.offer, find: ports.find, of: ports.of },
    ...{ config, live, modules, ownId, evm, hub, views, deliveries, platform, renderer },
    backupScript: BACKUP_THREAD,
    get keyCalls() {
      return ledger ? ledgerKeyCalls(ledger) : (ports.find(CHAIN_KEY_CALLS) ?? keyCallsElsewhere)
    },
  }
  for (const module of createFurther?.(server) ?? []) add(module)
  for (const { serve } of served) {
    const module = await serve(server)
    if (module) add(module)
  }
  const path = async () => copied()?.path() ?? ownId
  const calls = intercept?.calls
  add(
    createGrpcModule(context, config, {
      ...{ hub, reads, feed, costs, hops, cache, ownId, path, ledger },
      intercept: calls,
    }),
  )
  return server
}

/** The store that the settings name. */
export const openStore = (config: Config): Promise<Storage> =>
  openWholeStore(storageSettingsOf(config))

/** The same store to read from, while a server has it open: nothing is migrated and nothing claimed. */
export const joinStore = (config: Config): Storage =>
  joinWholeStore(storageSettingsOf({ ...config, views: false }))
