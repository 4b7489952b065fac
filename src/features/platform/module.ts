import { randomBytes } from 'node:crypto'
import type { SignatureVerifiers } from '../../kernel/accounts/module.ts'
import type { Accounts } from '../../kernel/accounts/port.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import { limitFor, type Module, type ModuleContext } from '../../kernel/module.ts'
import { createPlatformContext, platformUrlOf } from '../../kernel/platform/context.ts'
import { EXPOSED_HEADERS, SECURITY_HEADERS } from '../../kernel/platform/headers.ts'
import { followAccounts, reopenRequests } from '../key-requests/port.ts'
import { eraseMiniApps } from '../mini-apps/port.ts'
import {
  type AccountOptions,
  createPlatform,
  type FeatureConfig,
  type Platform,
} from './platform.ts'
import { platformRoutes } from './routes.ts'
import type { PlatformConfig } from './settings.ts'

/** The deployed platform counts requests in windows of this length. */
const WINDOW_SECONDS = 10
/** Requests in a window from one address. Processor time is bounded by the budgets of all interfaces. */
const MAX_REQUESTS = 2_500

type PlatformModuleOptions = Omit<AccountOptions, 'verifyAsContracts'> & {
  readonly accounts: Accounts
  readonly verifiers: SignatureVerifiers
}

type PlatformModule = Module & { readonly platform: Platform }

export function createPlatformModule(
  modules: ModuleContext,
  config: PlatformConfig & FeatureConfig & HttpConfig,
  { accounts, verifiers: { verify, verifyAsContracts }, ...options }: PlatformModuleOptions,
): PlatformModule {
  const { storage, clock, mode, onError } = modules
  const { context, addresses } = createPlatformContext(
    { storage, clock, accounts, verify, randomBytes, onError },
    platformUrlOf(config),
  )
  const platform = createPlatform(modules, config, context, { ...options, verifyAsContracts })
  const { features, keyRequests } = platform
  return {
    name: 'platform',
    platform,
    jobs: features.flatMap(({ jobs }) => jobs ?? []),
    erase: eraseMiniApps(storage),
    onMerged: (tx, _, events) => followAccounts(tx, events, unixSeconds(clock)),
    onReorg: (tx, events) => reopenRequests(tx, events, unixSeconds(clock)),
    serves: {
      name: 'platform',
      title: 'Rookery client platform',
      description: 'Channels, follows, badges, actions, blocks, and keys for apps.',
      errors: 'platform',
      host: config.host,
      port: config.platformPort,
      checkToken: (request) =>
        platform.context.callerOf(request, { accept: ['app_key', 'custody'] }),
      limits: { all: { ...limitFor(mode, MAX_REQUESTS, WINDOW_SECONDS), announced: true } },
      exposedHeaders: EXPOSED_HEADERS,
      headers: SECURITY_HEADERS,
    },
    routes: { platform: platformRoutes(features) },
    operatorRoutes: features.flatMap(({ operatorRoutes }) => operatorRoutes ?? []),
    listening: (name, url) => {
      if (name === 'platform') addresses.listensAt(url)
      if (name === 'web') addresses.isFoundAt(`${url}/platform`)
    },
    endRequests: () => keyRequests.streams.close(),
  }
}
