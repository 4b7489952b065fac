import type { SignatureVerifiers } from '../../kernel/accounts/module.ts'
import type { Accounts } from '../../kernel/accounts/port.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module, ModuleContext } from '../../kernel/module.ts'
import { platformUrlOf } from '../../kernel/platform/context.ts'
import type { TypedDataDomain } from '../../kernel/protocol/crypto/account-domains.ts'
import { sealedKeyRoutes } from '../sealed-keys/routes.ts'
import { type AppSignIn, createAppSignIn } from './app-sign-in.ts'
import { SignInChannels } from './channels.ts'
import { SigningKeys } from './keys.ts'
import { operatorSignInRoutes, quickAuthRoutes } from './quick-auth-routes.ts'
import { relayRoutes } from './relay-routes.ts'

type Config = {
  readonly publicUrl: string | undefined
}

type SignInOptions = {
  readonly accounts: Accounts
  readonly verifiers: SignatureVerifiers
  /** Names the accounts' chain and contract. */
  readonly domain: TypedDataDomain
  /** mainnet, testnet or devnet. */
  readonly network: string
  /** The public URL of the client platform, without a slash at its end. */
  readonly publicUrl: () => string
}

/** How users sign in to apps: routes of the client platform. */
export function createSignInModule(
  { storage, clock }: ModuleContext,
  config: Config,
  { accounts, verifiers: { verify }, domain, network, publicUrl }: SignInOptions,
): Module & { readonly appSignIn: AppSignIn } {
  const terms = { storage, clock, accounts, verify }
  const channels = new SignInChannels(terms)
  const issuer = platformUrlOf(config)
  const keys = new SigningKeys(storage, clock)
  const quickAuth = { ...terms, keys, issuer }
  const owner = { accounts, verify, domain, network, now: () => unixSeconds(clock) }
  const routes = [...relayRoutes({ ...terms, channels, publicUrl }), ...quickAuthRoutes(quickAuth)]
  return {
    name: 'sign-in',
    routes: {
      platform: routes.map((declared) => ({
        ...declared,
        spec: { limit: 'all', ...declared.spec },
      })),
      accounts: sealedKeyRoutes({ storage, clock, keys, owner }),
    },
    appSignIn: createAppSignIn(quickAuth),
    operatorRoutes: operatorSignInRoutes(quickAuth),
    jobs: [channels.collectJob],
  }
}
