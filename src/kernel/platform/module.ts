import { randomBytes } from 'node:crypto'
import type { AccountsModule } from '../accounts/module.ts'
import type { Module, ModuleContext } from '../module.ts'
import { createPlatformContext, type PlatformContext, platformUrlOf } from './context.ts'

type Config = {
  readonly publicUrl: string | undefined
}

/** Who calls, by bearer tokens. It has no interface: features serve that. */
export function createTokenModule(
  { storage, clock, onError }: ModuleContext,
  config: Config,
  { accounts, verifiers: { verify } }: Pick<AccountsModule, 'accounts' | 'verifiers'>,
): Module & { readonly platform: PlatformContext } {
  const { context, addresses } = createPlatformContext(
    { storage, clock, accounts, verify, randomBytes, onError },
    platformUrlOf(config),
  )
  return {
    name: 'tokens',
    platform: context,
    listening: (name, url) => {
      if (name === 'platform') addresses.listensAt(url)
      if (name === 'web') addresses.isFoundAt(`${url}/platform`)
    },
  }
}
