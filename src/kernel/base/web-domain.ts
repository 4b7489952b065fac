import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

// A mini app is its domain: a host name, in development also one of this machine with its port.

/** The longest name of DNS, and a port. */
export const MAX_DOMAIN_CHARACTERS = 260
const MAX_NAME_CHARACTERS = 253
/** A name of the public DNS in its ASCII form: no address, no port, nothing but labels and a top-level name. */
const PUBLIC = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
/** This machine, where developers have their servers. The names of RFC 6761 never lead to another one. */
const LOCAL = /^(?:(?:[a-z0-9-]{1,63}\.)?localhost|127\.0\.0\.1)(?::[1-9][0-9]{0,4})?$/

/** Whether an address is loopback, which development networks may use. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback'

/** Whether a host name, without its port, is one of this machine. */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name)
}

/** A domain as apps are known by it, from a domain or a URL; undefined when it is none. */
export function readDomain(text: string, allowLoopback: boolean): string | undefined {
  if (text.length > 2 * MAX_DOMAIN_CHARACTERS) return undefined
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url?.username !== '' || url.password !== '') return undefined
  if (LOCAL.test(url.host)) return allowLoopback ? url.host : undefined
  const isName = url.hostname.length <= MAX_NAME_CHARACTERS && PUBLIC.test(url.hostname)
  return isName && url.port === '' && !isLoopbackHost(url.hostname) ? url.hostname : undefined
}

/** Where the app of a domain is: https, but http on this machine. */
export function originOf(domain: string): string {
  const { hostname } = new URL(`http://${domain}`)
  return new URL(`${isLoopbackHost(hostname) ? 'http' : 'https'}://${domain}`).origin
}
