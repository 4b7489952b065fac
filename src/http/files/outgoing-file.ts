import type http from 'node:http'
import type { Rejection } from '../../protocol/rejection.ts'
import { type OutgoingRules, outgoingFailure, requestOutgoing, urlRefused } from '../outgoing.ts'

/** A file of another site. */
export type OutgoingFile = {
  /** Where it was after all redirects. */
  readonly url: URL
  /** Its Content-Type; not to be trusted. */
  readonly type: string
  readonly bytes: Uint8Array
}

export type FileRequest = {
  /** The Accept header. */
  readonly accept: string
  /** A longer file is refused, or cut off with `isCut`. */
  readonly maxBytes: number
  readonly isCut?: boolean
  /** Says what is wrong about a Content-Type, before the file is read. */
  readonly refuseType?: (type: string) => string | undefined
  /** Bounds name resolution, redirects, headers and body together. */
  readonly signal: AbortSignal
}

export const MAX_REDIRECTS = 3
const REDIRECTS = [301, 302, 303, 307, 308]

/** Fetches a file. Every redirect is checked like the first URL. Every failure is a Rejection that states the cause. */
export async function fetchFile(
  url: URL,
  rules: OutgoingRules,
  request: FileRequest,
): Promise<OutgoingFile> {
  const { accept, signal } = request
  const headers = { accept, 'accept-encoding': 'identity' }
  let at = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await requestOutgoing(at, rules, { method: 'GET', headers, signal })
    try {
      const next = redirectOf(response, at, rules)
      if (!next) return await readFile(response, at, rules, request)
      at = next
    } finally {
      response.destroy()
    }
  }
  throw urlRefused(url, rules.field, `redirects more than ${MAX_REDIRECTS} times`)
}

function redirectOf(
  { statusCode = 0, headers }: http.IncomingMessage,
  from: URL,
  { field }: OutgoingRules,
): URL | undefined {
  if (!REDIRECTS.includes(statusCode)) return undefined
  const { location = '' } = headers
  if (!URL.canParse(location, from)) throw urlRefused(from, field, 'redirects to nowhere')
  return new URL(location, from)
}

async function readFile(
  response: http.IncomingMessage,
  url: URL,
  { field }: OutgoingRules,
  request: FileRequest,
): Promise<OutgoingFile> {
  const refused = (what: string): Rejection => urlRefused(url, field, what)
  const { statusCode, headers } = response
  if (statusCode !== 200) throw refused(`answered ${statusCode}`)
  const type = headers['content-type'] ?? ''
  const fault = request.refuseType?.(type)
  if (fault) throw refused(fault)
  // Asked for without compression, so that a few bytes do not become many.
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw refused('answered compressed')
  const tooLong = () => refused(`answered more than ${request.maxBytes} bytes`)
  if (!request.isCut && Number(headers['content-length']) > request.maxBytes) throw tooLong()
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of response) {
      size += piece.length
      if (size > request.maxBytes && !request.isCut) throw tooLong()
      pieces.push(piece)
      if (size > request.maxBytes) break
    }
  } catch (error) {
    throw outgoingFailure(url, field, error, request.signal)
  }
  return { url, type, bytes: Buffer.concat(pieces).subarray(0, request.maxBytes) }
}
