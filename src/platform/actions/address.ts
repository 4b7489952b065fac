import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** IPv6 has given out nothing else yet; what embeds an IPv4 address elsewhere is thereby left out too. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Whether an address belongs to the internet at large: not to this machine, a private network or a protocol. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return isIPv4(address) || parsed.match(GLOBAL_IPV6)
}

/** Whether an address is this machine's own, for development networks. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback'
