import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { Rejection } from '../protocol/rejection.ts'
import { checkBasic } from './auth.ts'
import { countRequest } from './connections.ts'
import { BASE_UNITS, unitsOfCached } from './cost.ts'
import { Exchange } from './exchange.ts'
import type { ServedRoute } from './handler.ts'
import { checkHost } from './hosts.ts'
import { checkMediaType } from './input/body.ts'
import { checkAnnouncedLength } from './input/body-reader.ts'
import type { InterfaceOptions } from './options.ts'
import { refuseLate } from './refusals.ts'
import { corsOriginOf } from './requests.ts'

/**
 * The one hook before every request: gives it an id, charges its client, finds out who sent it, counts it against the limit
 * of its route and checks what is known of its body, which is not read yet.
 */
export function createAdmission(options: InterfaceOptions, isStopping: () => boolean) {
  const { basicAuth = [], identify, headers: ownHeaders } = options
  const isForThisMachine = corsOriginOf(options) === undefined

  return function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    const exchange = new Exchange(request, options)
    request.exchange = exchange
    countRequest(request.raw.socket, 1)
    reply.header('x-request-id', request.id)
    if (ownHeaders) reply.headers(ownHeaders)
    const { route } = request.routeOptions.config
    try {
      if (isStopping()) throw new Rejection('unavailable', 'the server is stopping')
      if (isForThisMachine) checkOrigin(request, options)
      exchange.cached = route?.findCached(request)
    } catch (error) {
      done(error as Error)
      return
    }
    try {
      exchange.charge(priceOf(exchange, route))
    } catch (error) {
      const delayMs = options.costs?.refusalDelayMs(request.ip) ?? 0
      refuseLate(request.raw.socket, delayMs, () => done(error as Error))
      return
    }
    if (request.method === 'OPTIONS' && !isForThisMachine) {
      reply.code(204).header('content-length', '0').send()
      return
    }
    if (!route) {
      done(request.is404 ? unknownPath(request) : undefined)
      return
    }
    const admitKnown = () => {
      const { spec, limit, maxBytes } = route
      limit?.take(exchange, reply)
      if (spec.protected && basicAuth.length > 0) {
        checkBasic(basicAuth, request.headers.authorization)
      }
      if (spec.body) {
        checkMediaType(spec.body, request.headers)
        checkAnnouncedLength(request, maxBytes)
      }
    }
    if (route.spec.needsKey && identify) {
      identify(request.headers, request.ip)
        .then((caller) => {
          exchange.caller = caller
          if (caller.isReadOnly && route.spec.method !== 'GET') {
            throw new Rejection('unauthorized', 'this key may only read')
          }
          admitKnown()
        })
        .then(() => done(), done)
      return
    }
    try {
      admitKnown()
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}

/** What is known of the price of a request before its parameters and its body are read. */
function priceOf({ cached }: Exchange, route: ServedRoute | undefined): number {
  if (cached) return unitsOfCached(cached.body.length)
  return route?.units ?? BASE_UNITS
}

export const unknownPath = ({ url }: FastifyRequest): Rejection =>
  new Rejection('not_found', `no route ${url.split('?', 1)[0]}`)

/** Web pages of other origins must not reach loopback ports through their visitor's browser. */
function checkOrigin(
  { headers }: FastifyRequest,
  { hostNames = [] }: Pick<InterfaceOptions, 'hostNames'>,
): void {
  checkHost(headers.host, hostNames)
  const { origin } = headers
  if (origin === undefined || origin.replace(/^https?:\/\//, '') === headers.host) return
  throw new Rejection('unauthorized', 'not from a page of another origin')
}
