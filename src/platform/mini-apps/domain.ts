import { isIP } from 'node:net'
import { isLoopbackAddress } from '../../http/outgoing.ts'
import { Rejection } from '../../protocol/rejection.ts'

// An app is its domain: a host, in development also one of this machine with its port.

/** The longest name of DNS, and a port. */
export const MAX_DOMAIN_CHARACTERS = 260
const MAX_NAME_CHARACTERS = 253
const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/

export const MANIFEST_PATH = '/.well-known/farcaster.json'

/** Whether a host name, without its port, is one of this machine. */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name)
}

/** A domain as apps are known by it, from a domain or a URL; undefined when it is none. */
export function readDomain(text: string, allowLoopback: boolean): string | undefined {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (!url || text.length > 2 * MAX_DOMAIN_CHARACTERS) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  if (isLoopbackHost(url.hostname)) return allowLoopback ? url.host : undefined
  const isName =
    url.hostname.length <= MAX_NAME_CHARACTERS &&
    NAME.test(url.hostname) &&
    isIP(url.hostname) === 0
  return isName && url.port === '' ? url.hostname : undefined
}

/** The same for a request that names one. */
export function domainOf(text: string, allowLoopback: boolean): string {
  const domain = readDomain(text, allowLoopback)
  if (domain !== undefined) return domain
  throw new Rejection(
    'bad_request.validation_failure',
    `domain must be a host name such as app.example${allowLoopback ? ', or localhost:3000' : ''}`,
    { field: 'domain' },
  )
}

/** Where the app of a domain is: https, but http on this machine. */
export function originOf(domain: string): string {
  const { hostname } = new URL(`http://${domain}`)
  return new URL(`${isLoopbackHost(hostname) ? 'http' : 'https'}://${domain}`).origin
}
