import { isLoopbackHost } from '../../kernel/base/web-domain.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

/**
 * Throws when a domain is one of this server. An app on the origin of the web client could reach into it: the sandbox of
 * its frame would be none.
 */
export function checkNotOwn(domain: string, ownHosts: readonly string[]): void {
  if (!ownHosts.some((own) => isSameHost(own, domain))) return
  const text = `${domain} is this server, which cannot be a mini app of itself`
  throw new Rejection('bad_request.validation_failure', text, { field: 'domain' })
}

/** All names of this machine are one host. */
function isSameHost(a: string, b: string): boolean {
  if (a === b) return true
  const [one, other] = [new URL(`http://${a}`), new URL(`http://${b}`)]
  const isLocal = isLoopbackHost(one.hostname) && isLoopbackHost(other.hostname)
  return isLocal && one.port === other.port
}
