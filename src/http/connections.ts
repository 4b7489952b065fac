import type { Server, Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { clientOf, networkOf } from './client-budget.ts'

/** Open connections of this process, over all interfaces. One costs some tens of KiB. */
export const MAX_CONNECTIONS = 10_000
/** Open connections from one IPv4 address or IPv6 /48. Many people may share one address. */
const MAX_CONNECTIONS_PER_NETWORK = 1_000

type Place = { readonly socket: Socket; readonly network: string }

/** The places for connections: so many in all, and so many of one network. */
export class Places {
  readonly #bounds: { readonly total: number; readonly perNetwork: number }
  /** Of each network, the oldest first. */
  readonly #taken = new Map<string, Set<Place>>()
  #used = 0

  constructor(bounds: { total: number; perNetwork: number }) {
    this.#bounds = bounds
  }

  get used(): number {
    return this.#used
  }

  /**
   * Takes a place until the connection closes. When all are taken, the network with the most connections loses its oldest
   * idle one, if it has more than this network. Returns false when there is no place.
   */
  take(socket: Socket, network: string): boolean {
    const { total, perNetwork } = this.#bounds
    const own = this.#taken.get(network)?.size ?? 0
    if (own >= perNetwork) return false
    if (this.#used >= total && !this.#closeIdle(own)) return false
    const place = { socket, network }
    const ofNetwork = this.#taken.get(network) ?? new Set()
    this.#taken.set(network, ofNetwork.add(place))
    this.#used++
    socket.once('close', () => this.#release(place))
    return true
  }

  #closeIdle(fewest: number): boolean {
    let greediest: Set<Place> | undefined
    for (const places of this.#taken.values()) {
      if (places.size > (greediest?.size ?? fewest)) greediest = places
    }
    for (const place of greediest ?? []) {
      if (openRequests.get(place.socket)) continue
      this.#release(place)
      place.socket.destroy()
      return true
    }
    return false
  }

  #release(place: Place): void {
    const places = this.#taken.get(place.network)
    if (!places?.delete(place)) return
    this.#used--
    if (places.size === 0) this.#taken.delete(place.network)
  }
}

/** Requests of a connection that are not answered yet. */
const openRequests = new WeakMap<object, number>()

/** Counts a request that began (1) or ended (-1): a connection with one is not idle. */
export function countRequest(socket: object, change: 1 | -1): void {
  openRequests.set(socket, (openRequests.get(socket) ?? 0) + change)
}

const processPlaces = new Places({
  total: MAX_CONNECTIONS,
  perNetwork: MAX_CONNECTIONS_PER_NETWORK,
})

/** All trusted proxies together are one network, which may use every connection. */
const PROXIES = 'proxies'
const proxyPlaces = new Places({ total: MAX_CONNECTIONS, perNetwork: MAX_CONNECTIONS })

/**
 * Closes new connections beyond the bounds, after `refuse` had the chance to answer. Connections of trusted
 * proxies have places of their own: each of them carries the requests of many clients.
 */
export function limitConnections(
  server: Server,
  options: {
    places?: Places | undefined
    trustedProxies: readonly string[]
    refuse(socket: Socket): void
  },
): void {
  const isProxy = matcherOf(options.trustedProxies)
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    const fromProxy = address !== undefined && isProxy(address)
    const places = fromProxy ? proxyPlaces : (options.places ?? processPlaces)
    const network = fromProxy ? PROXIES : networkOf(clientOf(address))
    if (!places.take(socket, network)) options.refuse(socket)
  })
}

/** Makes the test whether an address is in one of some addresses and CIDR ranges. */
export function matcherOf(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.map((range) =>
    range.includes('/')
      ? ipaddr.parseCIDR(range)
      : ([ipaddr.parse(range), ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128] as const),
  )
  return (address) => {
    if (parsed.length === 0 || !ipaddr.isValid(address)) return false
    const own = ipaddr.process(address)
    return parsed.some(
      ([network, bits]) => network.kind() === own.kind() && own.match([network, bits] as never),
    )
  }
}
