import { finished, Readable } from 'node:stream'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RouteHandlerMethod,
} from 'fastify'
import { Rejection } from '../protocol/rejection.ts'
import { checkBasic } from './auth.ts'
import { bodyLimitOf, checkMediaType, compileBody } from './body.ts'
import { checkAnnouncedLength } from './body-reader.ts'
import { clientOf } from './client-budget.ts'
import { BASE_UNITS, type Cost, costOf, unitsOf, unitsOfBytes } from './cost.ts'
import type { Overspent, Principal } from './cost-budget.ts'
import { isUnchanged } from './etags.ts'
import { isExempt, untouched, type Windows } from './limits.ts'
import { cursorList } from './list-tags.ts'
import { basePathOf } from './mounted.ts'
import { oneByteBody } from './one-byte-body.ts'
import type { InterfaceOptions, Limit } from './options.ts'
import { compilePath, compileQuery } from './query.ts'
import { Answer, JSON_TYPE, type RequestInfo, type Route, type RouteSpec } from './route.ts'

/** A body of this size is paid with the request; a larger one pays for its bytes before it is parsed. */
export const FREE_BODY_BYTES = 4_096

/** Serves routes, and 405 for every other method on their paths. */
export function mountRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  { windows, ...options }: InterfaceOptions & { readonly windows: Windows },
): void {
  const limiters = createLimiters(app, options, windows)
  const parseJson = jsonParser(app)
  const methodsByPath = new Map<string, string[]>()
  for (const { spec, handler } of routes) {
    methodsByPath.set(spec.path, [...(methodsByPath.get(spec.path) ?? []), spec.method])
    app.route({
      method: spec.method,
      url: spec.path,
      config: {
        observe: options.metrics.route(options.name, spec.path),
        takesBody: spec.body !== undefined,
        maxBodyBytes: bodyLimitOf(spec.body, options),
        cost: costOf(spec),
        units: BASE_UNITS + unitsOf(costOf(spec)),
      },
      onRequest: guards(spec, limiters, options),
      handler: compileHandler({ spec, handler }, { parseJson, limiters }, options),
    })
  }
  for (const [path, methods] of methodsByPath) refuseOtherMethods(app, path, methods, options)
}

/** Checks a request before its body is read: rate limit, credentials, media type. */
function guards(
  spec: RouteSpec,
  limiters: ReadonlyMap<string, Limiter>,
  options: InterfaceOptions,
): onRequestHookHandler[] {
  const { basicAuth = [], identify } = options
  const maxBytes = bodyLimitOf(spec.body, options)
  const hooks: onRequestHookHandler[] = []
  if (spec.needsKey && identify) {
    // Before the limits, which count by the caller.
    hooks.push((request, _reply, done) => {
      identify(request.headers, request.ip).then((caller) => {
        request.caller = caller
        const isRefused = caller.isReadOnly && spec.method !== 'GET'
        done(isRefused ? new Rejection('unauthorized', 'this key may only read') : undefined)
      }, done)
    })
  }
  if (spec.limit !== undefined) {
    const limiter = limiters.get(spec.limit)
    if (limiter !== undefined) hooks.push(limiter.hook)
  }
  if (spec.protected && basicAuth.length > 0) {
    hooks.push((request, _reply, done) => {
      checkBasic(basicAuth, request.headers.authorization)
      done()
    })
  }
  const { body } = spec
  if (body !== undefined) {
    hooks.push((request, _reply, done) => {
      checkMediaType(body, request.headers)
      checkAnnouncedLength(request, maxBytes)
      done()
    })
  }
  return hooks
}

/** A named limit at work. */
type Limiter = {
  readonly hook: onRequestHookHandler
  /** Counts a request as so many more. Throws a Rejection when they exceed the limit. */
  countMore(request: FastifyRequest, amount: number): void
}

/** One counter for each named limit, shared by all routes that name it. */
function createLimiters(
  app: FastifyInstance,
  { limits = {}, errors }: InterfaceOptions,
  windows: Windows,
): Map<string, Limiter> {
  // The wording that the clients of each interface know.
  const refusal = (ms: number) =>
    new Rejection('rate_limited', tooManyRequests(errors), {
      retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)),
    })
  const entries = Object.entries(limits).map(([name, limit]): [string, Limiter] => {
    const windowMs = limit.windowSeconds * 1000
    const maxOf = ({ caller }: FastifyRequest) => caller?.limits[name] ?? limit.max
    const window = windows.get(name)!
    const limiter = app.rateLimit({
      max: maxOf,
      timeWindow: windowMs,
      allowList: (request) => isExempt(limit, request),
      keyGenerator: countedAs,
      errorResponseBuilder: (_request, { ttl }) => refusal(ttl),
      // For the store of this limit.
      ...{ window },
    }) as unknown as onRequestHookHandler
    const countMore = (request: FastifyRequest, amount: number) => {
      if (amount < 1 || isExempt(limit, request)) return
      const exceeded = window.take(countedAs(request), maxOf(request), Date.now(), amount)
      if (exceeded) throw refusal(exceeded.retryAfterMs)
    }
    return [name, { hook: limit.announced ? announcing(limit, limiter) : limiter, countMore }]
  })
  return new Map(entries)
}

/** Who a limit counts a request for: the key that was sent, else the client's address. */
const countedAs = ({ caller, ip }: FastifyRequest): string => caller?.id ?? clientOf(ip)

/** The limiter; uncounted requests are shown an unused limit. */
function announcing(limit: Limit, limiter: onRequestHookHandler): onRequestHookHandler {
  const headers = untouched(limit)
  return function (request, reply, done) {
    if (!isExempt(limit, request)) return limiter.call(this, request, reply, done)
    reply.headers(headers)
    done()
  }
}

/** The text that the clients of each interface know. */
const tooManyRequests = (errors: InterfaceOptions['errors']): string =>
  errors === 'platform' ? 'Too many requests' : 'API rate limit exceeded'

/** Charges a request to its client. Throws a Rejection when a budget is used up. */
export function charge(options: InterfaceOptions, request: FastifyRequest, units: number): void {
  refuseOverspent(options, options.costs?.charge(request.ip, units))
  request.chargedUnits += units
}

/** Charges what a request has cost so far to an account or key as well. */
export function chargePrincipal(
  options: InterfaceOptions,
  { ip, chargedUnits }: Pick<FastifyRequest, 'ip' | 'chargedUnits'>,
  principal: Principal,
): void {
  refuseOverspent(options, options.costs?.chargePrincipal(ip, principal, chargedUnits))
}

function refuseOverspent(
  { errors }: Pick<InterfaceOptions, 'errors'>,
  overspent: Overspent | undefined,
): void {
  if (!overspent) return
  const retryAfterSeconds = Math.max(1, Math.ceil(overspent.retryAfterMs / 1_000))
  if (overspent.by === 'all') {
    throw new Rejection('unavailable.overloaded', 'the server is busy', { retryAfterSeconds })
  }
  throw new Rejection('rate_limited', tooManyRequests(errors), { retryAfterSeconds })
}

/** Fastify's own JSON reader, which refuses keys that would reach a prototype. */
export function jsonParser(app: FastifyInstance): (text: string) => unknown {
  const parse = app.getDefaultJsonParser('error', 'error')
  return (text) => {
    let parsed: unknown
    const done = (error: Error | null, value?: unknown) => {
      if (error !== null) throw error
      parsed = value
    }
    parse(undefined as unknown as FastifyRequest, text, done)
    return parsed
  }
}

class Info implements RequestInfo {
  readonly #request: FastifyRequest
  readonly #options: InterfaceOptions

  constructor(request: FastifyRequest, options: InterfaceOptions) {
    this.#request = request
    this.#options = options
  }

  get id() {
    return this.#request.id
  }

  get ip() {
    return this.#request.ip
  }

  get headers() {
    return this.#request.headers
  }

  get caller() {
    return this.#request.caller ?? undefined
  }

  get basePath() {
    return basePathOf(this.#request.raw)
  }

  get log() {
    return this.#options.logger.child({ requestId: this.id })
  }

  chargeTo(principal: Principal): void {
    chargePrincipal(this.#options, this.#request, principal)
    this.#request.principal = principal
  }

  spend(bytes: number): number {
    return this.#options.costs?.spend(this.#request.ip, unitsOfBytes(bytes)) ?? 0
  }
}

/** Connects the parsers of a route's parts to its handler. Plain callbacks, because this is the hot path. */
function compileHandler(
  { spec, handler }: Route,
  {
    parseJson,
    limiters,
  }: { parseJson: (text: string) => unknown; limiters: ReadonlyMap<string, Limiter> },
  options: InterfaceOptions,
): RouteHandlerMethod {
  const readQuery = compileQuery(spec.query ?? {}, cursorList(spec))
  const readPath = compilePath(spec.params ?? {})
  const readBody = compileBody(spec.body, parseJson)
  const status = spec.status ?? 200
  const costOfQuery = spec.costOfQuery as ((query: unknown) => Cost) | undefined
  const limiter = spec.limit === undefined ? undefined : limiters.get(spec.limit)
  const countOfBody = spec.countOfBody as ((body: unknown) => number) | undefined
  const costOfBody = spec.costOfBody as ((body: unknown) => Cost) | undefined

  return (request, reply) => {
    try {
      const query = readQuery(request.raw.url!)
      if (costOfQuery) charge(options, request, unitsOf(costOfQuery(query)))
      const params = readPath(request.params)
      const bytes = request.body as Uint8Array | undefined
      if (bytes && bytes.length > FREE_BODY_BYTES) {
        charge(options, request, unitsOfBytes(bytes.length))
      }
      const body = readBody(bytes)
      if (costOfBody) charge(options, request, unitsOf(costOfBody(body)))
      if (countOfBody) limiter?.countMore(request, countOfBody(body) - 1)
      const result = handler({
        query,
        params,
        body,
        request: new Info(request, options),
      } as Parameters<typeof handler>[0])
      if (!(result instanceof Promise)) return send(reply, result, status)
      result.then((value) => send(reply, value, status)).catch((error) => fail(reply, error))
    } catch (error) {
      fail(reply, error)
    }
  }
}

/** Wraps a thrown value that is not an Error. */
function fail(reply: FastifyReply, error: unknown): void {
  reply.send(error instanceof Error ? error : new Error(String(error)))
}

function send(reply: FastifyReply, result: object, status: number): void {
  if (!(result instanceof Answer)) {
    const text = JSON.stringify(result)
    reply.code(status).header('content-type', JSON_TYPE).send(text)
    return
  }
  const { body, contentType, headers, isOneByte, onClose } = result
  if (onClose) finished(reply.raw, onClose)
  reply.code(result.status ?? status)
  if (contentType !== undefined) reply.header('content-type', contentType)
  if (headers !== undefined) reply.headers(headers)
  reply.request.isPaid = body instanceof Readable || onClose !== undefined
  if (reply.request.method === 'HEAD' && body instanceof Readable) {
    // The stream will not be read; an unread stream may never end.
    body.destroy()
    reply.send('')
    return
  }
  if (isUnchanged(result, reply.request.headers)) {
    if (body instanceof Readable) body.destroy()
    reply.code(304).removeHeader('content-type').send('')
    return
  }
  reply.send(isOneByte ? oneByteBody(body as string | readonly string[]) : body)
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
