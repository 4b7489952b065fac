import { isIP } from 'node:net'
import { Rejection } from '../protocol/rejection.ts'

/**
 * Refuses a request whose Host header is a foreign name. A web page can let its own name point to 127.0.0.1
 * (DNS rebinding) and then reach loopback through the browser of a visitor, with its own name as Host and
 * Origin. Rebinding needs a name: `localhost`, IP addresses and the configured names are safe.
 */
export function checkHost(host: string | undefined, names: readonly string[]): void {
  if (host === undefined) return // HTTP/1.0, which no browser speaks
  const name = host
    .replace(/:[0-9]{1,5}$/, '')
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return
  if (names.includes(name)) return
  throw new Rejection('unauthorized', `the Host header must name this machine, not ${name}`)
}
