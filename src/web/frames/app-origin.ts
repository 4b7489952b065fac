// A mini app is its domain. This is the origin that the domain stands for, and the only one that its frame may show.

const MAX_DOMAIN_CHARACTERS = 253
/** A name of the public DNS in its ASCII form: no address, no port, nothing but labels and a top-level name. */
const PUBLIC = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
/** This machine, where developers have their servers. The names of RFC 6761 never lead to another one. */
const LOOPBACK = /^(?:(?:[a-z0-9-]{1,63}\.)?localhost|127\.0\.0\.1)(?::[1-9][0-9]{0,4})?$/

/** The origin of a domain; undefined when the domain is malformed or, outside of development, local. */
export function appOrigin(
  domain: string,
  { allowLoopback }: { readonly allowLoopback: boolean },
): string | undefined {
  if (domain.length > MAX_DOMAIN_CHARACTERS) return undefined
  if (LOOPBACK.test(domain)) {
    const url = `http://${domain}`
    return allowLoopback && URL.canParse(url) ? new URL(url).origin : undefined
  }
  return PUBLIC.test(domain) && !domain.endsWith('.localhost') ? `https://${domain}` : undefined
}

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
  const isHere = LOOPBACK.test(hostname)
  const at = port || (protocol === 'https:' ? '443' : '80')
  return hosts.some((own) => own.toLowerCase() === host) || (isHere && ports.includes(at))
}
