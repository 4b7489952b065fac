import type { Server, Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ClientBudget, clientOf } from './client-budget.ts'

/** Open connections of this process, over all interfaces. One costs some tens of KiB. */
export const MAX_CONNECTIONS = 10_000
/** Open connections from one client. Many people may share one address. */
const MAX_CONNECTIONS_PER_CLIENT = 1_000

const processConnections = new ClientBudget({
  total: MAX_CONNECTIONS,
  perClient: MAX_CONNECTIONS_PER_CLIENT,
})

/** All trusted proxies together are one client, which may use every connection. */
const PROXIES = 'proxies'
const proxyConnections = new ClientBudget({ total: MAX_CONNECTIONS, perClient: MAX_CONNECTIONS })

/**
 * Closes new connections beyond the bounds, after `refuse` had the chance to answer. Connections of trusted
 * proxies count against the bound in all only: each of them carries the requests of many clients.
 */
export function limitConnections(
  server: Server,
  options: {
    budget?: ClientBudget | undefined
    trustedProxies: readonly string[]
    refuse(socket: Socket): void
  },
): void {
  const isProxy = matcherOf(options.trustedProxies)
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    const fromProxy = address !== undefined && isProxy(address)
    const budget = fromProxy ? proxyConnections : (options.budget ?? processConnections)
    const client = fromProxy ? PROXIES : clientOf(address)
    if (!budget.take(client, 1)) return options.refuse(socket)
    socket.once('close', () => budget.release(client, 1))
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
