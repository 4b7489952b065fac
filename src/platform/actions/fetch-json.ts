import { lookup as systemLookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Rejection } from '../../protocol/rejection.ts'
import { isLoopbackAddress, isPublicAddress } from './address.ts'

// Fetches a URL that a third party chose, safe against server-side request forgery (SSRF): only https to public
// addresses; each name is resolved once and the connection goes to the address that was checked.

/** For name resolution, redirects, headers and body together. */
export const FETCH_TIMEOUT_MS = 5_000
/** A document has seven short fields. */
export const MAX_DOCUMENT_BYTES = 64 * 1024
export const MAX_REDIRECTS = 3
export const MAX_URL_CHARACTERS = 1_024

export type FetchOptions = {
  /** Allows loopback addresses over http at any port, for development networks. */
  readonly allowLoopback: boolean
  readonly lookup?: Lookup
  readonly timeoutMs?: number
}

/** Every address of a name. */
export type Lookup = (name: string) => Promise<readonly { address: string; family: number }[]>

const lookupAll: Lookup = (name) => systemLookup(name, { all: true })

/** Fetches JSON. Every failure is a Rejection that states the cause. */
export async function fetchJson(url: URL, options: FetchOptions): Promise<unknown> {
  const signal = AbortSignal.timeout(options.timeoutMs ?? FETCH_TIMEOUT_MS)
  let at = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await request(at, options, signal)
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
export function checkUrl(url: URL, { allowLoopback }: Pick<FetchOptions, 'allowLoopback'>): void {
  if (url.href.length > MAX_URL_CHARACTERS) {
    throw refused(url, `is longer than ${MAX_URL_CHARACTERS} characters`)
  }
  if (url.username !== '' || url.password !== '') throw refused(url, 'has a user name in it')
  const host = hostOf(url)
  if (isIP(host) !== 0 && !mayConnect(host, allowLoopback)) {
    throw refused(url, 'is not at a public address')
  }
  // Only an address says for sure that it is this machine; a name does once it is resolved.
  const isLocal = allowLoopback && (isLoopbackAddress(host) || host === 'localhost')
  if (isLocal && url.protocol === 'http:') return
  if (url.protocol !== 'https:') throw refused(url, 'must begin with https:')
  if (url.port !== '' && !isLocal) throw refused(url, 'must be at the usual port')
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

const mayConnect = (address: string, allowLoopback: boolean) =>
  isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address))

async function request(
  url: URL,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  checkUrl(url, options)
  const { request: send } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'rookery' },
      // No connection is reused.
      agent: false,
      lookup: checkedLookup(url, options),
      signal,
    })
    sent.on('response', resolve)
    sent.on('error', (error) => reject(failure(url, error, signal)))
    sent.end()
  })
}

/**
 * Resolves a name for the socket, which connects to one of exactly these addresses. A name with any address that is
 * not public is refused.
 */
function checkedLookup(
  url: URL,
  { allowLoopback, lookup = lookupAll }: FetchOptions,
): LookupFunction {
  return (name, { all }, done) => {
    lookup(name).then(
      (found) => {
        const [first] = found
        if (!first || !found.every(({ address }) => mayConnect(address, allowLoopback))) {
          done(refused(url, 'is not at a public address'), [])
        } else if (all) done(null, [...found])
        else done(null, first.address, first.family)
      },
      (error) => done(error, []),
    )
  }
}

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
    throw failure(url, error, signal)
  }
  return Buffer.concat(pieces)
}

function failure(url: URL, error: unknown, signal: AbortSignal): Rejection {
  if (error instanceof Rejection) return error
  if (signal.aborted) return refused(url, 'did not answer in time')
  const { code } = error as NodeJS.ErrnoException
  return refused(url, `cannot be reached (${code ?? 'no connection'})`)
}

/** The URL without its query, which may contain secrets. */
function refused(url: URL, what: string): Rejection {
  const where = `${url.protocol}//${url.host}${url.pathname}`.slice(0, MAX_URL_CHARACTERS)
  return new Rejection('bad_request.validation_failure', `${where} ${what}`, { field: 'actionUrl' })
}
