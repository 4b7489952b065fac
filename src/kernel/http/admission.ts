import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { type ForwardedAddresses, forwardedAddresses } from '../limits/client.ts'
import { countRequest } from '../limits/connections.ts'
import { BASE_UNITS, mayWrite, unitsOfCached } from '../limits/cost.ts'
import { Rejection } from '../protocol/rejection.ts'
import { checkBasic } from './auth.ts'
import { Exchange } from './exchange.ts'
import type { ServedRoute } from './handler.ts'
import { checkMediaType } from './input/body.ts'
import { checkAnnouncedLength } from './input/body-reader.ts'
import type { InterfaceOptions } from './options.ts'
import { refuseLate } from './refusals.ts'
import { corsOriginOf } from './requests.ts'
import { credentialsOf } from './route.ts'

/**
 * The one hook before every request: gives it an id, charges its client, finds out who sent it, counts it against the limit
 * of its route and checks what is known of its body, which is not read yet.
 */
export class Admission {
  /** Refuses every request from now on. */
  isStopping = false
  readonly #options: InterfaceOptions
  readonly #isForThisMachine: boolean
  readonly #addressOf: ForwardedAddresses

  constructor(options: InterfaceOptions) {
    this.#options = options
    const { trustedProxies = [], onUnreadableHop: onUnreadable } = options
    this.#addressOf = forwardedAddresses({ trustedProxies, onUnreadable })
    this.#isForThisMachine = corsOriginOf(options) === undefined
  }

  readonly admit = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void => {
    const { costs, headers } = this.#options
    const { route } = request.routeOptions.config
    const ip = this.#addressOf(request.ip, request.headers['x-forwarded-for'] as string | undefined)
    const exchange = new Exchange(request, this.#options, ip)
    request.exchange = exchange
    countRequest(request.raw.socket, 1)
    reply.header('x-request-id', request.id)
    if (headers) reply.headers(headers)
    try {
      if (this.isStopping) throw new Rejection('unavailable', 'the server is stopping')
      if (this.#isForThisMachine) this.#checkOrigin(request)
      exchange.cached = route?.findCached(request)
    } catch (error) {
      done(error as Error)
      return
    }
    try {
      exchange.charge(priceOf(exchange, route))
    } catch (error) {
      const delayMs = costs?.refusalDelayMs(ip) ?? 0
      refuseLate(request.raw.socket, delayMs, () => done(error as Error))
      return
    }
    if (request.method === 'OPTIONS' && !this.#isForThisMachine) {
      reply.code(204).header('content-length', '0').send()
    } else if (!route) {
      done(request.is404 ? unknownPath(request) : undefined)
    } else {
      this.#admitTo(route, request, reply, done)
    }
  }

  #admitTo(
    route: ServedRoute,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    const { identify } = this.#options
    if (credentialsOf(route.spec).key && identify) {
      identify(request.headers)
        .then((caller) => {
          request.exchange.caller = caller
          if (caller.isReadOnly && !isOpenToReaders(route, request)) {
            throw new Rejection('unauthorized', 'this key may only read')
          }
          this.#check(route, request, reply)
        })
        .then(() => done(), done)
      return
    }
    try {
      this.#check(route, request, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  #check(
    { spec, limit, maxBytes, admit }: ServedRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const { basicAuth = [] } = this.#options
    if (limit) request.exchange.count(limit, reply)
    if (spec.callers === 'credentials' && basicAuth.length > 0) {
      checkBasic(basicAuth, request.headers.authorization)
    }
    admit?.(request.headers)
    if (spec.body) {
      checkMediaType(spec.body, request.headers)
      checkAnnouncedLength(request, maxBytes)
    }
  }

  /** Web pages of other origins must not reach loopback ports through their visitor's browser. */
  #checkOrigin({ headers }: FastifyRequest): void {
    checkHost(headers.host, this.#options.hostNames ?? [])
    const { origin } = headers
    if (origin === undefined || origin.replace(/^https?:\/\//, '') === headers.host) return
    throw new Rejection('unauthorized', 'not from a page of another origin')
  }
}

/** What is known of the price of a request before its parameters and its body are read. */
function priceOf({ cached }: Exchange, route: ServedRoute | undefined): number {
  if (cached) return unitsOfCached(cached.body.length)
  return route?.units ?? BASE_UNITS
}

export const unknownPath = ({ url }: FastifyRequest): Rejection =>
  new Rejection('not_found', `no route ${url.split('?', 1)[0]}`)

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

/** A key that everybody knows reads; it writes where a bearer token says who the user is. */
const isOpenToReaders = ({ spec }: ServedRoute, { headers }: FastifyRequest): boolean =>
  !mayWrite(spec) ||
  (credentialsOf(spec).token !== undefined && headers.authorization !== undefined)
