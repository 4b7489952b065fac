import { lookup as systemLookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { isLoopbackAddress } from '../base/web-domain.ts'
import { Rejection } from '../protocol/rejection.ts'

// Requests to a URL that a third party chose, safe against server-side request forgery (SSRF): only https to
// public addresses; each name is resolved once and the connection goes to the address that was checked. What the operator has
// named as a service of the own network may be there, and is no third party.

export const MAX_URL_CHARACTERS = 1_024

export type OutgoingRules = {
  /** Allows loopback addresses over http at any port, for development networks. */
  readonly allowLoopback: boolean
  /** Allows http, any port and addresses of the own network: for a URL that the operator has named as being there. */
  readonly allowOwnNetwork?: boolean
  readonly lookup?: Lookup
  /** The field that refusals name. */
  readonly field: string
}

/** Every address of a name. */
export type Lookup = (name: string) => Promise<readonly { address: string; family: number }[]>

/** The system asks each of its name servers several times, and ends by itself after up to 40 s. */
const LOOKUP_TIMEOUT_MS = 5_000

const lookupAll: Lookup = (name) => systemLookup(name, { all: true })

/** Throws unless the URL is allowed as far as its text shows. */
export function checkUrl(url: URL, rules: Omit<OutgoingRules, 'lookup'>): void {
  const { allowLoopback, allowOwnNetwork = false, field } = rules
  const refuse = (what: string) => urlRefused(url, field, what)
  if (url.href.length > MAX_URL_CHARACTERS) {
    throw refuse(`is longer than ${MAX_URL_CHARACTERS} characters`)
  }
  if (url.username !== '' || url.password !== '') throw refuse('has a user name in it')
  const host = hostOf(url)
  if (isIP(host) !== 0 && !mayConnect(host, rules)) {
    throw refuse('is not at a public address')
  }
  if (allowOwnNetwork && (url.protocol === 'http:' || url.protocol === 'https:')) return
  // Only an address says for sure that it is this machine; a name does once it is resolved.
  const isLocal = allowLoopback && (isLoopbackAddress(host) || host === 'localhost')
  if (isLocal && url.protocol === 'http:') return
  if (url.protocol !== 'https:') throw refuse('must begin with https:')
  if (url.port !== '' && !isLocal) throw refuse('must be at the usual port')
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

type Reach = Pick<OutgoingRules, 'allowLoopback' | 'allowOwnNetwork'>

const mayConnect = (address: string, { allowLoopback, allowOwnNetwork }: Reach) =>
  isPublicAddress(address) ||
  ((allowLoopback || allowOwnNetwork) && isLoopbackAddress(address)) ||
  (allowOwnNetwork && isOwnNetworkAddress(address))

export type OutgoingRequest = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Bounds the whole exchange. */
  readonly signal: AbortSignal
}

/**
 * Sends a request on a new connection and resolves to the response once its headers are there. Redirects are
 * not followed. Every failure is a Rejection that states the cause. The caller destroys the response.
 */
export async function requestOutgoing(
  url: URL,
  rules: OutgoingRules,
  { method, headers, body, signal }: OutgoingRequest,
): Promise<http.IncomingMessage> {
  checkUrl(url, rules)
  const { request: send } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const sent = send(url, {
      method,
      headers: { 'user-agent': 'rookery', ...headers },
      // No connection is reused.
      agent: false,
      lookup: checkedLookup(url, rules),
      signal,
    })
    sent.on('response', resolve)
    const fail = (error: unknown) => reject(outgoingFailure(url, rules.field, error, signal))
    sent.on('error', fail)
    // Without an error or a response where the server changes the protocol (101), which nobody has asked for.
    sent.on('close', () => fail({}))
    sent.end(body)
  })
}

/**
 * Resolves a name for the socket, which connects to one of exactly these addresses. A name with any address that is
 * not public is refused.
 */
function checkedLookup(
  url: URL,
  { field, lookup = lookupAll, ...reach }: OutgoingRules,
): LookupFunction {
  return (name, { all }, done) => {
    lookup(name).then(
      (found) => {
        const [first] = found
        if (!first || !found.every(({ address }) => mayConnect(address, reach))) {
          done(urlRefused(url, field, 'is not at a public address'), [])
        } else if (all) done(null, [...found])
        else done(null, first.address, first.family)
      },
      (error) => done(error, []),
    )
  }
}

/**
 * Throws unless each address of a host that the operator has named is public, of the own network or of this machine: for services that
 * are no third party and speak something else than HTTP.
 */
export async function checkOwnHost(
  host: string,
  field: string,
  {
    lookup = lookupAll,
    timeoutMs = LOOKUP_TIMEOUT_MS,
  }: { lookup?: Lookup; timeoutMs?: number } = {},
): Promise<void> {
  const refuse = (what: string) =>
    new Rejection('bad_request.validation_failure', `${host} ${what}`, { field })
  const done = new AbortController()
  const late = setTimeout(timeoutMs, undefined, { signal: done.signal }).then(() => {
    throw refuse(`cannot be found within ${timeoutMs / 1_000} s`)
  })
  const found = await Promise.race([lookup(host), late])
    .catch((error: NodeJS.ErrnoException) => {
      if (error instanceof Rejection) throw error
      throw refuse(`cannot be found (${error.code ?? 'no address'})`)
    })
    .finally(() => done.abort())
  const reach = { allowLoopback: true, allowOwnNetwork: true }
  if (found.length === 0 || !found.every(({ address }) => mayConnect(address, reach))) {
    throw refuse('is at an address where no service may be')
  }
}

/** The Rejection for a request that ended in an error. */
export function outgoingFailure(
  url: URL,
  field: string,
  error: unknown,
  signal: AbortSignal,
): Rejection {
  if (error instanceof Rejection) return error
  if (signal.aborted) return urlRefused(url, field, 'did not answer in time')
  const { code } = error as NodeJS.ErrnoException
  return urlRefused(url, field, `cannot be reached (${code ?? 'no connection'})`)
}

/** Refuses a URL. The message has it without its query, which may contain secrets. */
export function urlRefused(url: URL, field: string, what: string): Rejection {
  const where = `${url.protocol}//${url.host}${url.pathname}`.slice(0, MAX_URL_CHARACTERS)
  return new Rejection('bad_request.validation_failure', `${where} ${what}`, { field })
}

/** The only allocated global unicast range. It excludes addresses that embed an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Whether an address is public: not loopback, private or reserved. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || isOfCloud(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return isIPv4(address) || parsed.match(GLOBAL_IPV6)
}

/**
 * At which clouds tell machines their secrets and take orders from them. Most do so at link-local addresses, which nobody may reach;
 * these look like private or public ones.
 */
const OF_CLOUDS = [
  '100.100.100.200/32', // Alibaba Cloud
  '168.63.129.16/32', // Azure
  'fd00:42::42/128', // Scaleway
  'fd00:c1::a9fe:a9fe/128', // Oracle Cloud
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google Cloud
].map((range) => ipaddr.parseCIDR(range))

const isOfCloud = (address: string): boolean =>
  ipaddr.subnetMatch(ipaddr.process(address), { cloud: OF_CLOUDS }, 'other') === 'cloud'

const OWN_NETWORKS: readonly string[] = ['private', 'uniqueLocal', 'carrierGradeNat']

/** Whether it is an address of a private network. */
function isOwnNetworkAddress(address: string): boolean {
  if (isIP(address) === 0 || isOfCloud(address)) return false
  return OWN_NETWORKS.includes(ipaddr.process(address).range())
}

/** The text of another server's answer; throws an AnswerTooLongError above a number of bytes. */
export async function answerText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new AnswerTooLongError(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export class AnswerTooLongError extends Error {}
