import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

/** Parsing an address costs as much as answering a small request from memory. */
const MAX_CACHED_ADDRESSES = 4_096
const IPV6_CLIENT_PARTS = 4
const IPV6_NETWORK_PARTS = 3
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/i

const clients = new LRUCache<string, string>({
  max: MAX_CACHED_ADDRESSES,
  memoMethod: clientOfAddress,
})

/**
 * Who is counted as one client: the IPv4 address, or the /64 of the IPv6 address, because a /64 is what one customer of a
 * provider gets.
 */
export const clientOf = (address: string | undefined): string =>
  address === undefined ? 'unknown' : clients.memo(address)

function clientOfAddress(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return (parsed as ipaddr.IPv6).parts.slice(0, IPV6_CLIENT_PARTS).join(':')
}

/**
 * Who shares what all clients have together: the IPv4 address, or the /48 of the IPv6 address, which a site gets, with
 * 65,536 times a /64.
 */
export const networkOf = (client: string): string => client.split(':', IPV6_NETWORK_PARTS).join(':')

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address)

/** Makes the test whether an address is in one of some addresses and CIDR ranges. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.map((range) => {
    if (range.includes('/')) return ipaddr.parseCIDR(range)
    const address = ipaddr.parse(range)
    return [address, address.kind() === 'ipv4' ? 32 : 128] as const
  })
  return (address) => {
    if (parsed.length === 0 || !ipaddr.isValid(address)) return false
    const own = ipaddr.process(address)
    return parsed.some(
      ([network, bits]) => network.kind() === own.kind() && own.match([network, bits] as never),
    )
  }
}

/** Makes the function that finds a client's address: the peer, or the client that a trusted proxy names. */
export function forwardedAddresses(trustedProxies: readonly string[]) {
  const isTrusted = addressMatcher(trustedProxies)
  return (peer: string, forwardedFor: string | undefined): string => {
    if (forwardedFor === undefined || !isTrusted(peer)) return peer
    const hops = forwardedFor.split(',').map((hop) => hop.trim())
    // Each proxy appends the address that called it, so the last one that is no proxy is the client.
    return hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer
  }
}
