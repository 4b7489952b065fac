import type { Socket } from 'node:net'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Rejection } from '../protocol/rejection.ts'
import { DEFAULT_BODY_LIMIT_BYTES } from './body.ts'
import { readBodies } from './body-reader.ts'
import { limitConnections } from './connections.ts'
import { BASE_UNITS, type Cost, unitsOfAnswer } from './cost.ts'
import type { Principal } from './cost-budget.ts'
import { type ErrorShape, errorBody, errorRow, rejectionOf, retryAfter } from './errors.ts'
import { checkHost } from './hosts.ts'
import type { RouteObserver } from './metrics.ts'
import { charge } from './mount.ts'
import type { InterfaceOptions } from './options.ts'
import { corsOriginOf, logAnswer, requestId, timeLimits } from './requests.ts'
import { type Caller, JSON_TYPE } from './route.ts'
import { refuseSocket, TooManyConnectionsError } from './socket-refusals.ts'
import { WindowStore } from './window-store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The reason of a refusal, for the log line of the request. */
    rejection: Rejection | null
    /** What the request was charged so far, and the account or key that paid it, too. */
    chargedUnits: number
    principal: Principal | null
    /** Who sent the request, on a route that asks for a key. */
    caller: Caller | null
    /** Length of the answer before it is compressed; null where nothing is compressed. */
    answerBytes: number | null
    /** Whether the bytes of the answer were paid in advance: of a stream, even when only its head is sent. */
    isPaid: boolean
  }
  interface FastifyContextConfig {
    observe?: RouteObserver
    /** Whether the route declares a body. */
    takesBody?: boolean
    /** The largest body of the route; that of the interface unless given. */
    maxBodyBytes?: number
    /** What a request is charged before its body is read, and what it is made of. */
    units?: number
    cost?: Cost
  }
}

/** A path parameter can be call data in hex; the request line is bounded by the header limit of 16 KiB. */
const MAX_PATH_PART_CHARACTERS = 16_384
/** An unread body up to this size is discarded; a larger one costs its sender the connection. */
const MAX_DISCARDED_BODY_BYTES = 65_536

export type Server = {
  app: FastifyInstance
  /** Whether `stop` was called. */
  isStopping(): boolean
  /** From now on requests are refused and connections are closed when idle. */
  stop(): void
}

/** Shorter answers fit into a few packets anyway. */
const MIN_COMPRESSED_BYTES = 4 * 1024
/** Answers become nearly as small as with the default level, for a third of the work. */
const COMPRESSION_LEVEL = 3

/** A Fastify instance with everything that applies to every request of an interface. */
export function createServer(options: InterfaceOptions): Server {
  let stopping = false
  const corsOrigin = corsOriginOf(options)
  const proxies = options.trustedProxies ?? []
  const { keepAliveTimeout, requestTimeout, ...ofNode } = timeLimits(options.requestTimeoutMs)
  const app = fastify({
    logger: false,
    genReqId: requestId,
    trustProxy: proxies.length > 0 ? [...proxies] : false,
    bodyLimit: options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    keepAliveTimeout,
    requestTimeout,
    http: ofNode,
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
    clientErrorHandler: (error, socket) => refuseSocket(options, error, socket as Socket),
  })
  const { name, metrics } = options
  const observeUnmatched = metrics.route(name, 'unmatched')
  app.decorateRequest('rejection', null)
  app.decorateRequest('chargedUnits', 0)
  app.decorateRequest('answerBytes', null)
  app.decorateRequest('isPaid', false)
  app.decorateRequest('principal', null)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (options.headers) reply.headers(options.headers)
    if (stopping) done(new Rejection('unavailable', 'the server is stopping'))
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { observe = observeUnmatched } = request.routeOptions.config
    observe(request.method, reply.statusCode, reply.elapsedTime)
    logRequest(options, request, reply)
    if (stopping) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
  // Preflights are answered by the CORS plugin, and pay before.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'OPTIONS') chargeArrival(options, request, done)
    else done()
  })
  if (corsOrigin === undefined) {
    app.addHook('onRequest', (request, _reply, done) => {
      checkHost(request.headers.host, options.hostNames ?? [])
      done()
    })
    app.addHook('onRequest', refuseOtherOrigins)
  } else {
    app.register(cors, {
      origin: corsOrigin === '*' ? '*' : [corsOrigin],
      methods: 'GET,HEAD,PUT,PATCH,POST,DELETE',
      exposedHeaders: [...(options.exposedHeaders ?? [])],
      strictPreflight: false,
    })
  }
  app.register(rateLimit, { global: false, store: WindowStore })
  if (options.compressed) app.register(compressAnswers())
  if (options.costs) app.register(chargeRequests(options))
  app.register(refuseUnknownPaths)
  readBodies(app, options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES, options.bodyBudget)
  limitConnections(app.server, {
    budget: options.connectionBudget,
    trustedProxies: proxies,
    refuse: (socket) => refuseSocket(options, new TooManyConnectionsError(), socket),
  })
  app.setErrorHandler((error, request, reply) => refuse(options, error, request, reply))
  app.setNotFoundHandler((request, reply) => refuse(options, unknownPath(request), request, reply))
  return {
    app,
    isStopping: () => stopping,
    stop: () => {
      stopping = true
    },
  }
}

const NO_QUERY = {}

const unknownPath = ({ url }: FastifyRequest): Rejection =>
  new Rejection('not_found', `no route ${url.split('?', 1)[0]}`)

/** Compresses answers that are worth it, in threads of Node. Its length is lost, so it is noted for the price. */
const compressAnswers = () =>
  inThisScope((app) => {
    app.addHook('onSend', (request, _reply, payload, done) => {
      if (typeof payload === 'string') request.answerBytes = Buffer.byteLength(payload)
      done(null, payload)
    })
    app.register(compress, {
      encodings: ['gzip'],
      threshold: MIN_COMPRESSED_BYTES,
      zlibOptions: { level: COMPRESSION_LEVEL },
      globalDecompression: false,
    })
  })

/** Charges every request before anything else is done for it. Registered after CORS, as below. */
const chargeRequests = (options: InterfaceOptions) =>
  inThisScope((app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.method === 'OPTIONS') done()
      else chargeArrival(options, request, done)
    })
    app.addHook('onResponse', (request, reply, done) => {
      const { cost = {} } = request.routeOptions.config
      // Of what was paid in advance nothing is given back. Nor of what was never charged.
      const length = request.answerBytes ?? reply.getHeader('content-length')
      const wasCharged = reply.statusCode !== 429 && reply.statusCode !== 503
      if (length !== undefined && wasCharged && !request.isPaid) {
        const units = unitsOfAnswer(cost, Number(length))
        options.costs?.settle(request.ip, units, request.principal ?? undefined)
      }
      done()
    })
  })

/** Charges what is known of a request before its parameters and its body are read. */
function chargeArrival(
  options: InterfaceOptions,
  request: FastifyRequest,
  done: (error?: Error) => void,
): void {
  try {
    charge(options, request, request.routeOptions.config.units ?? BASE_UNITS)
    done()
  } catch (error) {
    const delayMs = options.costs?.refusalDelayMs(request.ip) ?? 0
    refuseLate(request.raw.socket, delayMs, () => done(error as Error))
  }
}

/**
 * Refuses after a while. Nothing more is read from the connection until then; a request of this process has
 * none.
 */
function refuseLate(socket: Partial<Socket>, delayMs: number, refuse: () => void): void {
  if (delayMs === 0) {
    refuse()
    return
  }
  socket.pause?.()
  setTimeout(() => {
    socket.resume?.()
    refuse()
  }, delayMs).unref()
}

/** A plugin without a scope of its own, so that its hooks hold for every route. */
const inThisScope = (register: (app: FastifyInstance) => void) =>
  Object.assign(
    (app: FastifyInstance, _options: object, done: () => void) => {
      register(app)
      done()
    },
    { [Symbol.for('skip-override')]: true },
  )

/** Refuses unknown paths before their body is read. Registered after CORS, so that browsers see the 404. */
const refuseUnknownPaths = inThisScope((app) => {
  app.addHook('onRequest', (request, _reply, next) => {
    if (request.is404 && request.method !== 'OPTIONS') next(unknownPath(request))
    else next()
  })
})

/** The web origin that may read answers; none for operations, whose calls change this machine. */
/** Web pages of other origins must not reach loopback ports through their visitor's browser. */
function refuseOtherOrigins(
  { headers }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const origin = headers.origin
  if (origin === undefined || origin.replace(/^https?:\/\//, '') === headers.host) done()
  else done(new Rejection('unauthorized', 'not from a page of another origin'))
}

/** Answers an error. Internal errors are logged with their stack; the caller gets the request id. */
function refuse(
  options: InterfaceOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refusal = refusalOf(options, error, { id: request.id, route: routeOf(request) })
  request.rejection = refusal.rejection
  if (hasLargeUnreadBody(request)) reply.header('connection', 'close')
  reply.code(refusal.status).headers(refusal.headers).send(refusal.body)
}

/** How an error is answered. Counts it, and logs it when it is ours. */
export function refusalOf(
  { name, errors, metrics, logger }: InterfaceOptions,
  error: unknown,
  { id, route }: { readonly id: string; readonly route: string },
) {
  const rejection = rejectionOf(error)
  const { status } = errorRow(rejection.code)
  metrics.rejected(name, rejection.code)
  if (rejection !== error && status >= 500) {
    logger.error({ err: error, requestId: id, route }, 'fault')
  }
  const seconds = retryAfter(rejection)
  const headers: Record<string, string> = {
    ...(rejection.code === 'unauthenticated' && { 'www-authenticate': challengeOf(errors) }),
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    // RFC 9110, 12.5.3: which content codings a body may have.
    ...(status === 415 && { 'accept-encoding': 'identity' }),
    'content-type': JSON_TYPE,
  }
  return { rejection, status, headers, body: JSON.stringify(errorBody(errors, rejection, id)) }
}

/** Whether more of the body is left than is worth reading to keep the connection. */
function hasLargeUnreadBody({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete) return false
  if (headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length']) > MAX_DISCARDED_BODY_BYTES
}

/** The WWW-Authenticate header of a 401: a token, a key, or elsewhere a password. */
const challengeOf = (shape: ErrorShape): string => CHALLENGES[shape] ?? 'Basic realm="rookery"'
const CHALLENGES: { readonly [Shape in ErrorShape]?: string } = {
  platform: 'Bearer',
  app: 'ApiKey realm="rookery"',
}

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'unmatched'

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
    code: request.rejection?.code,
    ms: reply.elapsedTime,
  })
}
