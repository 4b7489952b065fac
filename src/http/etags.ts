import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './route.ts'

/** Whether the client already has this answer. It gets 304 then, and no body. */
export function isUnchanged({ headers }: Answer, asked: IncomingHttpHeaders): boolean {
  const etag = headers?.etag
  const known = asked['if-none-match']
  if (etag === undefined || known === undefined) return false
  return known === etag || known === '*' || isAmong(etag, known)
}

const isAmong = (etag: string, list: string): boolean =>
  list.split(',').some((known) => opaque(known) === opaque(etag))

/** If-None-Match compares weak and strong etags alike. */
const opaque = (etag: string): string => etag.trim().replace(/^W\//, '')
