// The published client library in the versions that are used. Loading them takes more than a second.

import * as hubNodejs11 from 'hub-nodejs-0.11'
import * as hubNodejs14 from 'hub-nodejs-0.14'
import * as hubNodejs17 from 'hub-nodejs-0.17'
import type { World } from './world.ts'

/** The library by version, unmodified. */
export const CLIENT_LIBRARIES = {
  '0.11.24': hubNodejs11,
  '0.14.1': hubNodejs14,
  '0.17.0': hubNodejs17,
} as const
export type ClientVersion = keyof typeof CLIENT_LIBRARIES
export const CLIENT_VERSIONS = Object.keys(CLIENT_LIBRARIES) as ClientVersion[]

/** A stock client of the world's hub. */
export function stockClient(world: World, version: ClientVersion): hubNodejs17.HubRpcClient {
  const { getInsecureHubRpcClient } = CLIENT_LIBRARIES[version]
  return getInsecureHubRpcClient(world.app.urls.grpc) as unknown as hubNodejs17.HubRpcClient
}
