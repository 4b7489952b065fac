import { bind } from '../../kernel/http/route.ts'
import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { type Channels, channelOperations } from './channels.ts'
import type { ChannelContext } from './context.ts'
import { operatorChannelRoutes } from './operator-routes.ts'
import { channelReadRoutes } from './read-routes.ts'
import { channelWriteRoutes } from './write-routes.ts'

export type { Channels } from './channels.ts'
export type { Invitation } from './roles.ts'
export { type ChannelConfig, channelUrlBaseOf } from './settings.ts'
export { channelRows } from './tables/channels.ts'

export function createChannels(
  context: PlatformContext,
  settings: ChannelContext['settings'],
): Channels & PlatformFeature {
  const channels = channelOperations({ ...context, settings })
  const needs = { context, channels }
  return {
    ...channels,
    routes: bind(needs, [...channelReadRoutes, ...channelWriteRoutes]),
    operatorRoutes: bind(needs, operatorChannelRoutes),
  }
}
