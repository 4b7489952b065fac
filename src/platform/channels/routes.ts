import type { Route } from '../../http/route.ts'
import type { PlatformContext } from '../context.ts'
import type { Channels } from './channels.ts'
import { channelReadRoutes } from './read-routes.ts'
import { channelWriteRoutes } from './write-routes.ts'

export { operatorChannelRoutes } from './operator-routes.ts'

export const channelRoutes = (
  channels: Channels,
  { storage, actorOf }: Pick<PlatformContext, 'storage' | 'actorOf'>,
): Route[] => [...channelReadRoutes(channels, storage), ...channelWriteRoutes(channels, actorOf)]
