import { bind } from '../../kernel/http/route.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { channelOperations } from './channels.ts'
import { operatorChannelRoutes } from './operator-routes.ts'
import { CHANNEL_PICTURES, CHANNELS, channelRows } from './port.ts'
import { channelReadRoutes } from './read-routes.ts'
import { type ChannelConfig, channelUrlBaseOf } from './settings.ts'
import { channelWriteRoutes } from './write-routes.ts'

type Config = ChannelConfig & Pick<HttpConfig, 'publicUrl' | 'links'>

export function serve({ platform: context, config, offer }: Server<Config>): Module {
  const settings = { ...config, channelUrlBase: channelUrlBaseOf(config) }
  const channels = channelOperations({ ...context, settings })
  offer(CHANNELS, channels)
  offer(CHANNEL_PICTURES, ({ of }, containing) => of(channelRows).pictures(containing))
  const needs = { context, channels }
  return {
    name: 'channels',
    routes: {
      platform: limitedTogether(bind(needs, [...channelReadRoutes, ...channelWriteRoutes])),
    },
    operatorRoutes: bind(needs, operatorChannelRoutes),
  }
}
