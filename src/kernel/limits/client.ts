import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Parsing an address costs as much as answering a small request from memory. */
const MAX_CACHED_ADDRESSES = 4_096
const IPV6_CLIENT_PARTS = 4
const IPV6_NETWORK_PARTS = 3
const IPV6_PROVIDER_PARTS = 2
const IPV4_PROVIDER_PARTS = 2
const IPV4_BYTES = 4
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/i

/** Who an address belongs to. */
export type Client = {
  /** The IPv4 address, or the /64 of the IPv6 address, because a /64 is what one customer of a provider gets. */
  readonly name: string
  /** The IPv4 address, or the /48 of the IPv6 address: a site gets that, and with it 65,536 times a /64. */
  readonly network: string
  /** The /16 of the IPv4 address, or the /32 of the IPv6 address: most networks that one attacker rents are in a few of these. */
  readonly provider: string
}

/** What a bound counts by: the client, and the network that it is of. */
export type Counted = Pick<Client, 'name' | 'network'>

const UNKNOWN: Client = { name: 'unknown', network: 'unknown', provider: 'unknown' }
const clients = new Map<string, Client>()

export function readClient(address: string | undefined): Client {
  if (address === undefined) return UNKNOWN
  const cached = clients.get(address)
  if (cached) return cached
  if (clients.size >= MAX_CACHED_ADDRESSES) clients.clear()
  const client = parseClient(address)
  clients.set(address, client)
  return client
}

function parseClient(address: string): Client {
  if (isIP(address) === 0) return UNKNOWN
  const parsed = withoutTranslation(ipaddr.process(address))
  if (!(parsed instanceof ipaddr.IPv6)) {
    const address = parsed.toString()
    const provider = parsed.octets.slice(0, IPV4_PROVIDER_PARTS).join('.')
    return { name: address, network: address, provider }
  }
  const prefix = (parts: number) => parsed.parts.slice(0, parts).join(':')
  return {
    name: prefix(IPV6_CLIENT_PARTS),
    network: prefix(IPV6_NETWORK_PARTS),
    provider: prefix(IPV6_PROVIDER_PARTS),
  }
}

/** A translator in front of an IPv6 server shows every IPv4 client as an address of 64:ff9b::/96 (RFC 6052), one /64. */
function withoutTranslation(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.range() !== 'rfc6052') return address
  return ipaddr.fromByteArray(address.toByteArray().slice(-IPV4_BYTES))
}

/** The name of an address's network. What takes turns is counted by it, so that a site has one turn and not 65,536. */
export const networkOf = (address: string | undefined): string => readClient(address).network

/** The name of an address's client. */
export const clientOf = (address: string | undefined): string => readClient(address).name

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

export type ForwardedOptions = {
  readonly trustedProxies: readonly string[]
  /** Called when a trusted proxy names something that is no address; the request counts as the proxy's own. */
  readonly onUnreadable?: ((hop: string) => void) | undefined
}

/** Returns the address of the client of a request from its peer and its header X-Forwarded-For. */
export type ForwardedAddresses = ReturnType<typeof forwardedAddresses>

/** Makes the function that finds a client's address: the peer, or the client that a trusted proxy names. */
export function forwardedAddresses({ trustedProxies, onUnreadable }: ForwardedOptions) {
  const isTrusted = addressMatcher(trustedProxies)
  return (peer: string, forwardedFor: string | undefined): string => {
    if (forwardedFor === undefined || !isTrusted(peer)) return peer
    let found = peer
    // Each proxy appends the address that called it, so the last one that is no proxy is the client.
    for (const hop of forwardedFor.split(',').toReversed()) {
      if (hop.trim() === '') continue
      const address = addressOfHop(hop)
      if (address === undefined) {
        onUnreadable?.(hop)
        return peer
      }
      found = address
      if (!isTrusted(found)) break
    }
    return found
  }
}

const IPV4_WITH_PORT = /^([0-9.]+):[0-9]+$/
const IN_BRACKETS = /^\[([^\]]*)\](?::[0-9]+)?$/
const QUOTED = /^"(.*)"$/

/** The address in an entry of X-Forwarded-For, which some gateways write with quotes, brackets and a port. */
function addressOfHop(hop: string): string | undefined {
  const entry = hop.trim().replace(QUOTED, '$1')
  const address = (IPV4_WITH_PORT.exec(entry) ?? IN_BRACKETS.exec(entry))?.[1] ?? entry
  return isIP(address) === 0 ? undefined : address
}
