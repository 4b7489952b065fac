import type { Server, Socket } from 'node:net'
import { memoryLimit } from '../base/memory-limit.ts'
import { addressMatcher, readClient } from './client.ts'
import { processQueue } from './fair-queue.ts'

/** Ten times what an idle connection costs, because the rest of the program needs the memory too. */
const MEMORY_PER_CONNECTION = 256 * 1024
/** Open connections of this process, over all interfaces: 2,048 on a machine of 512 MB, 10,000 from 2.5 GB on. */
export const MAX_CONNECTIONS = Math.min(10_000, Math.floor(memoryLimit() / MEMORY_PER_CONNECTION))
/** Open connections from one IPv4 address or IPv6 /48. Many people may share one address. */
const MAX_CONNECTIONS_PER_NETWORK = 1_000

/** A bound on open connections, in all and of one network. */
export class ConnectionLimit {
  readonly #bounds: { readonly total: number; readonly perNetwork: number }
  /** Of each network, the oldest first. */
  readonly #open = new Map<string, Set<Socket>>()
  #used = 0

  constructor(bounds: { readonly total: number; readonly perNetwork: number }) {
    this.#bounds = bounds
  }

  get used(): number {
    return this.#used
  }

  /**
   * Counts a connection until it closes. When there are too many, the network with the most connections loses its oldest
   * idle one, if it has more than this network. Returns false when the limit is reached.
   */
  tryAcquire(socket: Socket, network: string): boolean {
    const { total, perNetwork } = this.#bounds
    const own = this.#open.get(network)?.size ?? 0
    if (own >= perNetwork) return false
    if (this.#used >= total && !this.#closeIdle(own)) return false
    this.#open.getOrInsertComputed(network, () => new Set()).add(socket)
    this.#used++
    socket.once('close', () => this.#release(socket, network))
    return true
  }

  /** Closes an idle connection of a network with more than `fewest`. */
  #closeIdle(fewest: number): boolean {
    const [network, sockets] = [...this.#open].reduce((most, one) =>
      one[1].size > most[1].size ? one : most,
    )
    if (sockets.size <= fewest) return false
    const idle = sockets
      .values()
      .find((socket) => !openRequests.get(socket) && processQueue.waitingOf(socket) === 0)
    if (!idle) return false
    this.#release(idle, network)
    idle.destroy()
    return true
  }

  #release(socket: Socket, network: string): void {
    const sockets = this.#open.get(network)
    if (!sockets?.delete(socket)) return
    this.#used--
    if (sockets.size === 0) this.#open.delete(network)
  }
}

/** Requests of a connection that were begun and are not answered yet. */
const openRequests = new WeakMap<object, number>()

/** Counts a request that began (1) or ended (-1): a connection with one is not idle. */
export function countRequest(socket: object, change: 1 | -1): void {
  openRequests.set(socket, (openRequests.get(socket) ?? 0) + change)
}

const processLimit = new ConnectionLimit({
  total: MAX_CONNECTIONS,
  perNetwork: MAX_CONNECTIONS_PER_NETWORK,
})

/** All trusted proxies together are one network, which may use every connection. */
const PROXIES = 'proxies'
const proxyLimit = new ConnectionLimit({ total: MAX_CONNECTIONS, perNetwork: MAX_CONNECTIONS })

/**
 * Closes new connections beyond the bounds, after `refuse` had the chance to answer. Connections of trusted
 * proxies have a limit of their own: each of them carries the requests of many clients.
 */
export function limitConnections(
  server: Server,
  options: {
    readonly limit?: ConnectionLimit | undefined
    readonly trustedProxies: readonly string[]
    refuse(socket: Socket): void
  },
): void {
  const { limit = processLimit, trustedProxies, refuse } = options
  const isProxy = addressMatcher(trustedProxies)
  server.on('connection', (socket: Socket) => {
    processQueue.connected()
    const address = socket.remoteAddress
    const isAllowed =
      address !== undefined && isProxy(address)
        ? proxyLimit.tryAcquire(socket, PROXIES)
        : limit.tryAcquire(socket, readClient(address).network)
    if (!isAllowed) refuse(socket)
  })
}
