import type { SignatureVerifiers } from '../accounts/module.ts'
import type { Accounts } from '../accounts/port.ts'
import type { Module, ModuleContext } from '../module.ts'
import { SignInChannels } from './channels.ts'
import { relayRoutes } from './relay-routes.ts'

type SignInOptions = {
  readonly accounts: Accounts
  readonly verifiers: SignatureVerifiers
  /** The public URL of the client platform, without a slash at its end. */
  readonly publicUrl: () => string
}

/** How users sign in to apps: routes of the client platform. */
export function createSignInModule(
  { storage, clock }: ModuleContext,
  { appScheme }: { readonly appScheme: string },
  { accounts, verifiers: { verify }, publicUrl }: SignInOptions,
): Module {
  const terms = { storage, clock, accounts, verify }
  const channels = new SignInChannels(terms)
  const routes = relayRoutes({ ...terms, channels, appScheme, publicUrl })
  return {
    name: 'sign-in',
    routes: {
      platform: routes.map((declared) => ({
        ...declared,
        spec: { limit: 'all', ...declared.spec },
      })),
    },
    jobs: [channels.collectJob],
  }
}
