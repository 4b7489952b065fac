import { checkClientOptions, checkPause } from './checks.ts'
import type { Client } from './client.ts'
import type { AccountsOperations } from './generated/accounts.ts'
import type { AppOperations } from './generated/app.ts'
import type { HubOperations } from './generated/hub.ts'
import type { PlatformOperations } from './generated/platform.ts'
import type { RegistryOperations } from './generated/registry.ts'
import {
  createAccounts,
  createApp,
  createHub,
  createPlatform,
  createRegistry,
} from './interfaces.ts'
import { type ClientOptions, wait } from './transport.ts'

/** Clients of all public interfaces of a server. */
export type Network = {
  readonly hub: Client<HubOperations>
  readonly accounts: Client<AccountsOperations>
  readonly registry: Client<RegistryOperations>
  readonly platform: Client<PlatformOperations>
  readonly app: Client<AppOperations>
}

/** Clients of all public interfaces, by the address of the front door, such as https://social.example. */
export function createNetwork(options: ClientOptions): Network {
  checkClientOptions(options)
  const { credentials, ...others } = options
  const front = options.url.endsWith('/') ? options.url.slice(0, -1) : options.url
  const below = (name: string) => ({ ...others, url: `${front}/${name}` })
  return {
    hub: createHub(below('hub')),
    accounts: createAccounts(below('accounts')),
    registry: createRegistry(below('registry')),
    platform: createPlatform({
      ...below('platform'),
      ...(credentials && !('key' in credentials) && { credentials }),
    }),
    app: createApp({
      ...below('app'),
      ...(credentials && 'key' in credentials && { credentials }),
    }),
  }
}

/** The time of the network in Unix seconds. A development network may be ahead of this machine. */
export const timeOf = async ({ registry }: Pick<Network, 'registry'>): Promise<number> =>
  (await registry.get('/current-time')).currentTime

export type WaitOptions = {
  /** Aborts the wait; the promise rejects with its reason. */
  readonly signal?: AbortSignal
  /** Milliseconds between two requests; 500 by default. */
  readonly pollMs?: number
}

const POLL_MS = 500

/** At the beginning of a call that waits in the end. */
export function checkWaiting({ pollMs }: WaitOptions): void {
  if (pollMs !== undefined) checkPause(pollMs, 'pollMs')
}

/** Asks again and again until the answer is not undefined, and returns it. */
export async function until<T>(
  ask: () => Promise<T | undefined>,
  options: WaitOptions,
): Promise<T> {
  checkWaiting(options)
  const { signal, pollMs = POLL_MS } = options
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    await wait(pollMs, signal)
  }
}
