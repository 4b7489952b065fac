import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The only allocated global unicast range. It excludes addresses that embed an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Whether an address is public: not loopback, private or reserved. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return isIPv4(address) || parsed.match(GLOBAL_IPV6)
}

/** Whether an address is loopback, which development networks may use. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback'
