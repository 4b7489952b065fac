import { AsyncLocalStorage } from 'node:async_hooks'

// The client of the request that is being handled. Only what costs the operator money asks for it, far below the routes:
// requests to nodes of chains.

const current = new AsyncLocalStorage<string | undefined>()

/** Does work in the name of a client: its network, because a site has many addresses. */
export const asClient = <T>(network: string | undefined, work: () => T): T =>
  current.run(network, work)

/** The network of the client; undefined for work that no request has caused. */
export const currentClient = (): string | undefined => current.getStore()
