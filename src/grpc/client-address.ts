import { matcherOf } from '../http/connections.ts'

/** Finds the address of a call's client: the peer, or the client that a trusted proxy names. */
export function clientAddresses(trustedProxies: readonly string[]) {
  const isTrusted = matcherOf(trustedProxies)
  return (peer: string, forwardedFor: string | undefined): string => {
    if (forwardedFor === undefined || !isTrusted(peer)) return peer
    const hops = forwardedFor.split(',').map((hop) => hop.trim())
    // Each proxy appends the address that called it, so the last one that is no proxy is the client.
    return hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer
  }
}
