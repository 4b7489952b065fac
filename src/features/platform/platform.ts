import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { ModuleContext } from '../../kernel/module.ts'
import type { PlatformContext } from '../../kernel/platform/context.ts'
import { type ActionConfig, createActions } from '../actions/port.ts'
import { createAddresses } from '../addresses/port.ts'
import { type BadgeConfig, createBadges } from '../badges/port.ts'
import { createBlocks } from '../blocks/port.ts'
import { type ChannelConfig, channelUrlBaseOf, createChannels } from '../channels/port.ts'
import {
  createKeyRequests,
  type KeyRequestConfig,
  type KeyRequestOptions,
} from '../key-requests/port.ts'
import { createMiniApps, type MiniAppConfig, miniAppSettingsOf } from '../mini-apps/port.ts'
import { createStarterPacks } from '../starter-packs/port.ts'

export type FeatureConfig = ChannelConfig &
  BadgeConfig &
  ActionConfig &
  MiniAppConfig &
  KeyRequestConfig &
  Pick<HttpConfig, 'publicUrl' | 'links'>

/** What the key requests need of the accounts and the hub. */
export type AccountOptions = Omit<KeyRequestOptions, 'settings' | 'hasBadge'>

/** What clients need beyond the protocol: channels, blocks, actions, mini apps, badges and key requests. */
export type Platform = ReturnType<typeof createPlatform>

export function createPlatform(
  { mode, jobs, logger, metrics }: ModuleContext,
  config: FeatureConfig,
  context: PlatformContext,
  options: AccountOptions,
) {
  const { source, chainId } = options.accountsHome
  const channels = createChannels(context, { ...config, channelUrlBase: channelUrlBaseOf(config) })
  const actions = createActions(context, config)
  const miniApps = createMiniApps(context, {
    settings: miniAppSettingsOf(config, mode, source === 'chain' ? chainId : undefined),
    logger,
    metrics,
  })
  const blocks = createBlocks(context)
  const addresses = createAddresses(context)
  const starterPacks = createStarterPacks(context)
  const { badges, ...badgeFeature } = createBadges(context, config, jobs.run)
  const hasBadge = async (fid: number) => (await badges.current()).fids.includes(fid)
  const keyRequests = createKeyRequests(context, { ...options, settings: config, hasBadge })
  return {
    context,
    channels,
    actions,
    miniApps,
    blocks,
    badges,
    keyRequests,
    /** In the order of their documentation. */
    features: [
      channels,
      actions,
      miniApps,
      blocks,
      addresses,
      starterPacks,
      badgeFeature,
      keyRequests,
    ],
  }
}
