import { isLoopbackHost, originOf, readDomain } from '../../../kernel/base/web-domain.ts'

// The origin of a mini app, which is the only one that its frame may show.

/** The origin of a domain; undefined when the domain is malformed or, outside of development, local. */
export const appOrigin = (
  domain: string,
  { allowLoopback }: { readonly allowLoopback: boolean },
): string | undefined =>
  readDomain(domain, allowLoopback) === domain ? originOf(domain) : undefined

/** Where this server is found by browsers. */
export type OwnPlaces = {
  /** Hosts with ports, such as `social.example.org` and `localhost:2290`. */
  readonly hosts: readonly string[]
  /** Ports of its interfaces on this machine. */
  readonly ports: readonly string[]
}

/**
 * Whether an origin is that of this server. An app of the same origin would not be held by any sandbox: it could read the
 * keys of the web client.
 */
export function isOwnOrigin(origin: string, { hosts, ports }: OwnPlaces): boolean {
  const { host, hostname, port, protocol } = new URL(origin)
  const isHere = isLoopbackHost(hostname)
  const at = port || (protocol === 'https:' ? '443' : '80')
  return hosts.some((own) => own.toLowerCase() === host) || (isHere && ports.includes(at))
}
