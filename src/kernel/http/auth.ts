import { createHash, timingSafeEqual } from 'node:crypto'
import { Rejection } from '../protocol/rejection.ts'

/** Digests of the accepted `user:password` pairs; with none, no credentials are required. */
export type Credentials = readonly Buffer[]

const digestOf = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest()

/** Parses `user:password,user:other`. A password may contain colons; entries without both parts are ignored. */
export function parseCredentials(list: string): Credentials {
  const pairs = list.split(',').map((pair) => pair.trim())
  return pairs.filter((pair) => /^[^:]+:.+$/.test(pair)).map(digestOf)
}

/** Compares with the accepted digests in constant time. */
function isAccepted(credentials: Credentials, digest: Buffer): boolean {
  let found = false
  for (const accepted of credentials) found = timingSafeEqual(accepted, digest) || found
  return found
}

const BASIC = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i
const BEARER = /^bearer +(\S+) *$/i

/** Refuses a request without one of the accepted `user:password` pairs. */
export function checkBasic(credentials: Credentials, header: string | undefined): void {
  if (header === undefined || header === '') {
    throw new Rejection('unauthenticated', 'Authorization header is empty')
  }
  const encoded = BASIC.exec(header)?.[1]
  const presented = encoded === undefined ? '' : Buffer.from(encoded, 'base64')
  if (!isAccepted(credentials, digestOf(presented))) {
    throw new Rejection('unauthenticated', 'invalid username or password')
  }
}

export const OPERATOR_CALLS_OFF = 'operator calls are off: set ROOKERY_OPS_TOKEN for the server'

/** Refuses a request that does not carry the secret. */
export function checkOperator(secret: string, header: string | undefined): void {
  if (!isOperator(secret, header)) {
    throw new Rejection('unauthenticated', 'operator credentials are required')
  }
}

/** Whether a request carries the secret, as a bearer token or as a Basic password. */
export function isOperator(secret: string, header: string | undefined): boolean {
  const bearer = BEARER.exec(header ?? '')?.[1]
  const basic = BASIC.exec(header ?? '')?.[1]
  const password =
    basic &&
    Buffer.from(basic, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  return isAccepted([digestOf(secret)], digestOf(bearer ?? password ?? ''))
}
