import type { Module } from '../../kernel/module.ts'
import { platformUrlOf } from '../../kernel/platform/context.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { createAppSignIn } from './app-sign-in.ts'
import { SignInChannels } from './channels.ts'
import { SigningKeys } from './keys.ts'
import { SIGN_IN } from './port.ts'
import { operatorSignInRoutes, quickAuthRoutes } from './quick-auth-routes.ts'
import { relayRoutes } from './relay-routes.ts'

type Config = {
  readonly publicUrl: string | undefined
}

/** How users sign in to apps: routes of the client platform. */
export function serve(server: Server<Config>): Module {
  const { config, storage, clock, accounts, platform, offer } = server
  const terms = { storage, clock, accounts, verify: server.verifiers.verify }
  const channels = new SignInChannels(terms)
  const issuer = platformUrlOf(config)
  const keys = new SigningKeys(storage, clock)
  const quickAuth = { ...terms, keys, issuer }
  offer(SIGN_IN, { keys, ofApps: createAppSignIn(quickAuth) })
  const { publicUrl } = platform
  return {
    name: 'sign-in',
    routes: {
      platform: limitedTogether([
        ...relayRoutes({ ...terms, channels, publicUrl }),
        ...quickAuthRoutes(quickAuth),
      ]),
    },
    operatorRoutes: operatorSignInRoutes(quickAuth),
    jobs: [channels.collectJob],
  }
}
