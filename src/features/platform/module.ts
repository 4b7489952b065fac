import { randomBytes } from 'node:crypto'
import type { SignatureVerifiers } from '../../kernel/accounts/module.ts'
import type { Accounts, KeyCalls } from '../../kernel/accounts/port.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Mode } from '../../kernel/base/setting.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import { limitFor, type Module, type ModuleContext } from '../../kernel/module.ts'
import type {
  AccountDomains,
  TypedDataDomain,
} from '../../kernel/protocol/crypto/account-domains.ts'
import type { ActionConfig } from '../actions/settings.ts'
import type { BadgeConfig } from '../badges/settings.ts'
import { type ChannelConfig, channelUrlBaseOf } from '../channels/settings.ts'
import { followAccounts, reopenRequests } from '../key-requests/account-events.ts'
import type { KeyRequestConfig } from '../key-requests/settings.ts'
import { eraseMiniApps } from '../mini-apps/erasing.ts'
import { miniAppMetrics } from '../mini-apps/metrics.ts'
import type { MiniAppConfig } from '../mini-apps/settings.ts'
import type { AccountsHome, KeyMessages } from './context.ts'
import { EXPOSED_HEADERS, SECURITY_HEADERS } from './headers.ts'
import { createPlatform, type Platform } from './platform.ts'
import { operatorPlatformRoutes, platformRoutes } from './routes.ts'
import type { PlatformConfig, PlatformSettings } from './settings.ts'

/** The deployed platform counts requests in windows of this length. */
const WINDOW_SECONDS = 10

type PlatformModuleOptions = {
  readonly accounts: Accounts
  readonly verifiers: SignatureVerifiers
  readonly keyCalls: KeyCalls
  readonly keyMessages: KeyMessages
  readonly domains: AccountDomains
  readonly keyRequestDomains: readonly TypedDataDomain[]
  readonly accountsHome: AccountsHome
}

type Config = PlatformConfig &
  ChannelConfig &
  BadgeConfig &
  ActionConfig &
  MiniAppConfig &
  KeyRequestConfig &
  HttpConfig

type PlatformModule = Module & { readonly platform: Platform }

export function createPlatformModule(
  { storage, clock, mode, jobs, logger, metrics, onError }: ModuleContext,
  config: Config,
  { verifiers, ...options }: PlatformModuleOptions,
): PlatformModule {
  const platform = createPlatform({
    storage,
    clock,
    ...options,
    ...verifiers,
    settings: settingsOf(config, mode, options.accountsHome),
    randomBytes,
    runJob: jobs.run,
    onError,
    log: logger,
    countDelivery: miniAppMetrics(metrics),
  })
  return {
    name: 'platform',
    platform,
    jobs: platform.jobs,
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
      limits: { all: { ...limitFor(mode, config.platformLimit, WINDOW_SECONDS), announced: true } },
      exposedHeaders: EXPOSED_HEADERS,
      headers: SECURITY_HEADERS,
    },
    routes: { platform: platformRoutes(platform) },
    operatorRoutes: operatorPlatformRoutes(platform),
    listening: (name, url) => {
      if (name === 'platform') platform.listensAt(url)
      if (name === 'web') platform.isFoundAt(`${url}/platform`)
    },
    endRequests: platform.endStreams,
  }
}

const settingsOf = (config: Config, mode: Mode, home: AccountsHome): PlatformSettings => ({
  tokenLifetimeSeconds: config.tokenLifetimeSeconds,
  channelUrlBase: channelUrlBaseOf(config),
  channelsPerFid: config.channelsPerFid,
  maxChannels: config.maxChannels,
  appScheme: config.appScheme,
  publicUrl: config.platformPublicUrl ?? (config.publicUrl && `${config.publicUrl}/platform`),
  badges: { seeds: config.badgeSeeds, part: config.badgePercent / 100, max: config.badgeMax },
  requireSponsor: config.requireSponsor,
  fetchLoopback: config.fetchLoopback,
  miniApps: {
    mode: hasMiniApps(config, mode) ? config.miniApps : 'off',
    chains: config.miniAppChains ?? (home.source === 'chain' ? [`eip155:${home.chainId}`] : []),
  },
})

/** Notifications and sign-ins name the public URL, so production without it has no mini apps. */
const hasMiniApps = (
  { publicUrl, platformPublicUrl }: Pick<Config, 'publicUrl' | 'platformPublicUrl'>,
  mode: Mode,
): boolean => mode === 'development' || (publicUrl ?? platformPublicUrl) !== undefined
