import type http from 'node:http'
import {
  checkUrl as checkOutgoingUrl,
  type Lookup,
  outgoingFailure,
  requestOutgoing,
  urlRefused,
} from '../../http/outgoing.ts'
import type { Rejection } from '../../protocol/rejection.ts'

// Fetches the JSON document of an action from a URL that a third party chose.

/** For name resolution, redirects, headers and body together. */
const FETCH_TIMEOUT_MS = 5_000
/** A document has seven short fields. */
export const MAX_DOCUMENT_BYTES = 64 * 1024
export const MAX_REDIRECTS = 3

export type FetchOptions = {
  /** Allows loopback addresses over http at any port, for development networks. */
  readonly allowLoopback: boolean
  readonly lookup?: Lookup
  readonly timeoutMs?: number
}

/** The field that refusals name. */
const FIELD = 'actionUrl'

/** Fetches JSON. Every failure is a Rejection that states the cause. */
export async function fetchJson(url: URL, options: FetchOptions): Promise<unknown> {
  const signal = AbortSignal.timeout(options.timeoutMs ?? FETCH_TIMEOUT_MS)
  const rules = { ...options, field: FIELD }
  const headers = { accept: 'application/json' }
  let at = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await requestOutgoing(at, rules, { method: 'GET', headers, signal })
    try {
      const next = redirectOf(response, at)
      if (!next) return await readJson(response, at, signal)
      at = next
    } finally {
      response.destroy()
    }
  }
  throw refused(url, `redirects more than ${MAX_REDIRECTS} times`)
}

/** Throws unless the URL is allowed as far as its text shows. */
export const checkUrl = (url: URL, { allowLoopback }: Pick<FetchOptions, 'allowLoopback'>): void =>
  checkOutgoingUrl(url, { allowLoopback, field: FIELD })

const REDIRECTS = [301, 302, 303, 307, 308]

function redirectOf({ statusCode = 0, headers }: http.IncomingMessage, from: URL): URL | undefined {
  if (!REDIRECTS.includes(statusCode)) return undefined
  const { location = '' } = headers
  if (!URL.canParse(location, from)) throw refused(from, 'redirects to nowhere')
  return new URL(location, from)
}

async function readJson(
  response: http.IncomingMessage,
  url: URL,
  signal: AbortSignal,
): Promise<unknown> {
  const { statusCode, headers } = response
  if (statusCode !== 200) throw refused(url, `answered ${statusCode}`)
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (!/^application\/(?:[\w.+-]+\+)?json$/i.test(type.trim())) {
    throw refused(url, 'did not answer with application/json')
  }
  const body = await readBody(response, url, signal)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw refused(url, 'did not answer with JSON')
  }
}

async function readBody(
  response: http.IncomingMessage,
  url: URL,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of response) {
      size += piece.length
      if (size > MAX_DOCUMENT_BYTES)
        throw refused(url, `answered more than ${MAX_DOCUMENT_BYTES} bytes`)
      pieces.push(piece)
    }
  } catch (error) {
    throw outgoingFailure(url, FIELD, error, signal)
  }
  return Buffer.concat(pieces)
}

const refused = (url: URL, what: string): Rejection => urlRefused(url, FIELD, what)
