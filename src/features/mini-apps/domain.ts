import { isIP } from 'node:net'
import { readDomain } from '../../kernel/base/web-domain.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

export const MANIFEST_PATH = '/.well-known/farcaster.json'

/** The domain that a request names, as apps are known by it. */
export function domainOf(text: string, allowLoopback: boolean): string {
  return readDomain(text, allowLoopback) ?? refuseDomain(allowLoopback)
}

/** The same for what an operator removes: a server of snaps may be at an address without a name. */
export function hostOf(text: string, allowLoopback: boolean): string {
  const { hostname = '' } = URL.parse(text.includes('://') ? text : `https://${text}`) ?? {}
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  const domain = readDomain(text, allowLoopback) ?? (isAddress ? hostname : undefined)
  return domain ?? refuseDomain(allowLoopback)
}

function refuseDomain(allowLoopback: boolean): never {
  throw new Rejection(
    'bad_request.validation_failure',
    `domain must be a host name such as app.example${allowLoopback ? ', or localhost:3000' : ''}`,
    { field: 'domain' },
  )
}
