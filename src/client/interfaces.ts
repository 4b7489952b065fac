// One function for each interface. An app that uses one of them does not contain the others.
import { must } from './checks.ts'
import { type Client, createClient } from './client.ts'
import type { AccountsOperations } from './generated/accounts.ts'
import type { AppOperations } from './generated/app.ts'
import type { HubOperations } from './generated/hub.ts'
import type { OperationsOperations } from './generated/operations.ts'
import type { PlatformOperations } from './generated/platform.ts'
import type { RegistryOperations } from './generated/registry.ts'
import type { ClientOptions } from './transport.ts'

/** Messages, events and accounts as a hub serves them. */
export const createHub = (options: ClientOptions): Client<HubOperations> => createClient(options)

/** Names: who holds them, and moving them. */
export const createRegistry = (options: ClientOptions): Client<RegistryOperations> =>
  createClient(options)

/** Channels, blocks, actions, badges and key requests. */
export const createPlatform = (options: ClientOptions): Client<PlatformOperations> =>
  createClient(options)

/** Registering fids, and their keys and storage. */
export const createAccounts = (options: ClientOptions): Client<AccountsOperations> =>
  createClient(options)

/** Feeds, profiles, search and notifications, complete in one answer. */
export function createApp(options: ClientOptions): Client<AppOperations> {
  const { credentials } = Object(options)
  const isKey = credentials === undefined || 'key' in Object(credentials)
  must(isKey, 'credentials of the app API', "{ key: 'a key of an app' }", credentials)
  return createClient(options)
}

/** What an operator does. Its port is not public. */
export const createOperations = (options: ClientOptions): Client<OperationsOperations> =>
  createClient(options)
