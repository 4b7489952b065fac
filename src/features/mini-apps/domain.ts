import { readDomain } from '../../kernel/base/web-domain.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

export const MANIFEST_PATH = '/.well-known/farcaster.json'

/** The domain that a request names, as apps are known by it. */
export function domainOf(text: string, allowLoopback: boolean): string {
  const domain = readDomain(text, allowLoopback)
  if (domain !== undefined) return domain
  throw new Rejection(
    'bad_request.validation_failure',
    `domain must be a host name such as app.example${allowLoopback ? ', or localhost:3000' : ''}`,
    { field: 'domain' },
  )
}
