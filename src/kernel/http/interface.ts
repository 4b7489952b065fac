import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { reachableHost } from '../base/reachable-host.ts'
import { forwardedAddresses } from '../limits/client.ts'
import { countRequest, limitConnections } from '../limits/connections.ts'
import { processQueue } from '../limits/fair-queue.ts'
import { type Limit, RateLimit } from '../limits/window.ts'
import { Rejection } from '../protocol/rejection.ts'
import { Admission, unknownPath } from './admission.ts'
import { logAnswer } from './answer-log.ts'
import { documentRoutes } from './documents/documents.ts'
import { describeRoutes } from './documents/openapi.ts'
import type { Exchange } from './exchange.ts'
import { type ServedRoute, serveRoute } from './handler.ts'
import { DEFAULT_BODY_LIMIT_BYTES } from './input/body.ts'
import { readBodies } from './input/body-reader.ts'
import type { RouteObserver } from './metrics.ts'
import { withMounts } from './mounted.ts'
import type { InterfaceOptions } from './options.ts'
import {
  refuse,
  refuseSocket,
  routeOf,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_REQUESTS,
} from './refusals.ts'
import { corsOriginOf, requestId, timeLimits } from './requests.ts'
import type { Route } from './route.ts'

export type { InterfaceOptions } from './options.ts'

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange
  }
  interface FastifyContextConfig {
    /** Undefined for unknown paths, and for other methods of known ones. */
    route?: ServedRoute
    observe?: RouteObserver
  }
}

export type Interface = {
  /** Starts to listen; port 0 picks a free one. */
  listen(host: string, port: number): Promise<{ url: string; port: number }>
  /** Answers a request that another server received; possible once this one listens. */
  handle: RequestListener
  /** Answers a request without a socket, for tests. */
  inject: FastifyInstance['inject']
  /** Accepts no more requests, finishes those in flight, and stops within a bounded time. */
  close(): Promise<void>
  openapi(): object
}

export const CLOSE_WAIT_MS = 10_000
/** A path parameter can be call data in hex; the request line is bounded by the header limit of 16 KiB. */
const MAX_PATH_PART_CHARACTERS = 16_384
/** Shorter answers fit into a few packets anyway. */
const MIN_COMPRESSED_BYTES = 4 * 1024
/** Answers become nearly as small as with the default level, for a third of the work. */
const COMPRESSION_LEVEL = 3
const NO_QUERY = {}
/** Headers of any interface that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  'etag',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
  'x-rookery-event-id',
  'x-rookery-fault',
  'x-rookery-indexed',
  'x-rookery-unknown-parameters',
]

/** One interface: an address with its routes, their documentation and everything around HTTP. */
export function createInterface(options: InterfaceOptions): Interface {
  const admission = new Admission(options)
  const app = createServer(options)
  const observeUnmatched = options.metrics.route(options.name, 'unmatched')
  const documents = options.isUndocumented ? [] : documentRoutes(() => documentOf(options), options)
  app.after(() => {
    // After CORS, so that browsers see refusals.
    app.addHook('onRequest', admission.admit)
    options.intercept?.(app, options)
    app.addHook('onResponse', (request, reply, done) => {
      const { observe = observeUnmatched } = request.routeOptions.config
      observe(request.method, reply.statusCode, reply.elapsedTime)
      if (request.exchange) countRequest(request.raw.socket, -1)
      logRequest(options, request, reply)
      if (admission.isStopping) setImmediate(() => app.server.closeIdleConnections())
      done()
    })
  })
  app.register(async (scope) => addRoutes(scope, [...options.routes, ...documents], options))

  return {
    openapi: () => documentOf(options),
    handle: app.routing,
    inject: app.inject.bind(app) as FastifyInstance['inject'],
    listen: async (host, port) => {
      await app.listen({ host, port })
      const { port: listens } = app.server.address() as AddressInfo
      return { url: `http://${reachableHost(host)}:${listens}`, port: listens }
    },
    close: async () => {
      admission.isStopping = true
      const endAll = () => app.server.closeAllConnections()
      const timer = setTimeout(endAll, options.closeWaitMs ?? CLOSE_WAIT_MS)
      await app.close().finally(() => clearTimeout(timer))
    },
  }
}

/** Every request takes its turn before anything is done for it, those of mounted interfaces too. */
function createInterfaceServer(options: InterfaceOptions, own: RequestListener): Server {
  const handle = options.mounts ? withMounts(own, options.mounts, () => server) : own
  const addressOf = forwardedAddresses({ trustedProxies: options.trustedProxies ?? [] })
  const server = createHttpServer(timeLimits(options.requestTimeoutMs), (request, response) => {
    const { socket, headers } = request
    const peer = socket.remoteAddress
    const address = peer && addressOf(peer, headers['x-forwarded-for'] as string | undefined)
    if (processQueue.run(socket, address, () => handle(request, response))) return
    refuseSocket(options, TOO_MANY_REQUESTS, request.socket)
  })
  return server
}

/** A server with the bounds and the plugins of an interface. */
function createServer(options: InterfaceOptions): FastifyInstance {
  const corsOrigin = corsOriginOf(options)
  const proxies = options.trustedProxies ?? []
  const maxBodyBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES
  const app = fastify({
    logger: false,
    genReqId: requestId,
    bodyLimit: maxBodyBytes,
    serverFactory: (handler) => createInterfaceServer(options, handler),
    return503OnClosing: false,
    routerOptions: {
      caseSensitive: !options.ignoresPathCase,
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PATH_PART_CHARACTERS,
      querystringParser: () => NO_QUERY, // each route reads its own out of the url
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      if (corsOrigin === '*') reply.header('access-control-allow-origin', '*')
      refuse(options, error, request, reply)
    },
    clientErrorHandler: (error, socket) =>
      refuseSocket(options, (error as NodeJS.ErrnoException).code, socket),
  })
  app.decorateRequest('exchange')
  if (corsOrigin !== undefined) {
    app.register(cors, {
      origin: corsOrigin === '*' ? '*' : [corsOrigin],
      methods: 'GET,HEAD,PUT,PATCH,POST,DELETE',
      exposedHeaders: EXPOSED_HEADERS,
      strictPreflight: false,
      // Admission charges preflights before it answers them.
      preflightContinue: true,
    })
  }
  if (options.compressed) {
    app.register(compress, {
      encodings: ['gzip'],
      threshold: MIN_COMPRESSED_BYTES,
      zlibOptions: { level: COMPRESSION_LEVEL },
      globalDecompression: false,
    })
  }
  readBodies(app, maxBodyBytes, options.bodies)
  limitConnections(app.server, {
    limit: options.connections,
    trustedProxies: proxies,
    refuse: (socket) => refuseSocket(options, TOO_MANY_CONNECTIONS, socket),
  })
  app.setErrorHandler((error, request, reply) => refuse(options, error, request, reply))
  app.setNotFoundHandler((request, reply) => refuse(options, unknownPath(request), request, reply))
  return app
}

/** Serves routes, and 405 for every other method on their paths. */
function addRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  options: InterfaceOptions,
): void {
  const limitOf = (limit: Limit, name?: string) => new RateLimit(limit, name, options.resets)
  const limits = new Map(
    Object.entries(options.limits ?? {}).map(([name, limit]) => [name, limitOf(limit, name)]),
  )
  const methodsByPath = new Map<string, string[]>()
  for (const route of routes) {
    const { method, path, limit = '' } = route.spec
    const rateLimit = typeof limit === 'string' ? limits.get(limit) : limitOf(limit)
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method])
    const served = serveRoute(route, rateLimit, options)
    const observe = options.metrics.route(options.name, path)
    app.route({ method, url: path, config: { route: served, observe }, handler: served.handle })
  }
  for (const [path, methods] of methodsByPath) refuseOtherMethods(app, path, methods, options)
}

function refuseOtherMethods(
  app: FastifyInstance,
  path: string,
  methods: string[],
  options: InterfaceOptions,
): void {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  const others = app.supportedMethods.filter(
    (method) => method !== 'OPTIONS' && !allowed.includes(method),
  )
  const allow = [...allowed, 'OPTIONS'].join(', ')
  app.route({
    method: others,
    url: path,
    config: { observe: options.metrics.route(options.name, path) },
    onRequest: (request, reply, done) => {
      reply.header('allow', allow)
      done(new Rejection('method_not_allowed', `${path} does not take ${request.method}`))
    },
    handler: () => {},
  })
}

/** One log line for each request, without query and headers, which may contain tokens. */
function logRequest(
  { logger }: InterfaceOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  logAnswer(logger, {
    requestId: request.id,
    method: request.method,
    route: routeOf(request),
    status: reply.statusCode,
    code: request.exchange?.rejection?.code,
    ms: reply.elapsedTime,
  })
}

/** Made when it is asked for: it costs more than the routes themselves. */
function documentOf(options: InterfaceOptions): object {
  return describeRoutes(
    options.routes.map(({ spec }) => spec).filter(({ undocumented }) => !undocumented),
    {
      ...options,
      authenticated: (options.basicAuth?.length ?? 0) > 0,
      // A foreign Host or Origin header.
      everywhere: options.name === 'operations' ? ['unauthorized'] : [],
    },
  )
}
