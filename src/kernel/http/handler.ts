import type { IncomingHttpHeaders } from 'node:http'
import { finished, Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import secureJson from 'secure-json-parse'
import { readClient } from '../limits/client.ts'
import { countUnread, runExpensiveRead } from '../limits/concurrency.ts'
import {
  BASE_UNITS,
  costOf,
  EXPENSIVE_UNITS,
  unitsOf,
  unitsOfBytes,
  unitsOfRows,
} from '../limits/cost.ts'
import { asClient } from '../limits/current-client.ts'
import type { RateLimit } from '../limits/window.ts'
import { Rejection } from '../protocol/rejection.ts'
import { NO_BYTES } from '../protocol/sizes.ts'
import type { CachedAnswer } from './answer-cache.ts'
import { LentBytes } from './answer-memory.ts'
import type { Exchange } from './exchange.ts'
import { bodyLimitOf, compileBody } from './input/body.ts'
import type { ReadUpload } from './input/body-reader.ts'
import type { ParamSpecs, ParsedParams } from './input/params.ts'
import { compilePath, compileQuery } from './input/query.ts'
import { cursorList } from './list-tags.ts'
import type { InterfaceOptions } from './options.ts'
import { PartedBody } from './parted-body.ts'
import { PRIVATE } from './refusals.ts'
import {
  Answer,
  type Content,
  credentialsOf,
  JSON_TYPE,
  jsonAnswer,
  needsToken,
  type RequestInfo,
  type Route,
  type RouteSpec,
} from './route.ts'
import { sendParts } from './send-parts.ts'

/** A body of this size is paid with the request; a larger one pays for its bytes before it is parsed. */
export const FREE_BODY_BYTES = 4_096

/** A route as an interface serves it. */
export type ServedRoute = {
  readonly spec: RouteSpec
  /** What a request is charged before its parameters and its body are read. */
  readonly units: number
  /** The largest body. */
  readonly maxBytes: number
  readonly limit: RateLimit | undefined
  readonly admit: Route['admit']
  /** The cached answer to a request, if it is still right. */
  findCached(request: FastifyRequest): CachedAnswer | undefined
  readonly handle: RouteHandlerMethod
}

/** Connects the parsers of a route's parts to its handler. */
export function serveRoute(
  route: Route,
  limit: RateLimit | undefined,
  options: InterfaceOptions,
): ServedRoute {
  const { spec, admit } = route
  const version = versionOf(route)
  const { cache } = options
  const cost = costOf(spec)
  return {
    spec,
    units: BASE_UNITS + unitsOf({ ...cost, rows: 0 }),
    maxBytes: bodyLimitOf(spec.body, options),
    limit,
    admit,
    findCached: ({ raw }) =>
      version && cache && raw.method === 'GET' ? cache.find(raw.url!, version) : undefined,
    handle: compileHandler(route, limit, options),
  }
}

const versionOf = ({ version }: Route) =>
  version && ((query: ParsedParams<ParamSpecs>) => version(undefined, query))

/** Plain callbacks, because this is the hot path. */
function compileHandler(
  route: Route,
  limit: RateLimit | undefined,
  options: InterfaceOptions,
): RouteHandlerMethod {
  const { spec, handler, checkToken: checkOwnToken } = route
  const version = versionOf(route)
  const readQuery = compileQuery(spec.query ?? {}, cursorList(spec))
  const readPath = compilePath(spec.params ?? {})
  const readBody = compileBody(spec.body, (text) => secureJson.parse(text))
  const status = spec.status ?? 200
  const { costOfQuery, costOfBody, countOfBody } = spec
  const { rows: maxRows = 0 } = costOf(spec)
  const { cache } = options
  const isOfUser = credentialsOf(spec).token !== undefined
  const checkToken = !needsToken(spec)
    ? undefined
    : checkOwnToken
      ? (request: RequestInfo) => checkOwnToken(undefined, request)
      : options.checkToken

  return (request, reply) => {
    const { exchange } = request
    try {
      if (exchange.cached) return respond(reply, cachedAnswer(exchange.cached))
      const query = readQuery(request.raw.url!)
      exchange.rows = rowsOf(query, maxRows)
      exchange.charge(unitsOfRows(exchange.rows))
      if (costOfQuery) exchange.charge(unitsOf(costOfQuery(query)))
      const params = readPath(request.params)
      const body = spec.body?.isUpload
        ? () => readUpload(request)
        : readBody(
            paid(exchange, request.body as Uint8Array | undefined),
            request.headers['content-type'],
          )
      const begin = (body: unknown) => run(request, reply, { query, params, body })
      // A form takes a moment to be read.
      if (body instanceof Promise) body.then(begin).catch((error) => refuse(reply, error))
      else begin(body)
    } catch (error) {
      refuse(reply, error)
    }
  }

  /** Calls the handler and answers with what it returns. Throws when the input costs too much. */
  function run(
    request: FastifyRequest,
    reply: FastifyReply,
    { query, params, body }: { query: object; params: object; body: unknown },
  ): void {
    const { exchange } = request
    if (costOfBody) exchange.charge(unitsOf(costOfBody(body)))
    if (countOfBody && limit) exchange.countMore(limit, countOfBody(body) - 1)
    // Taken before the read: after a change meanwhile the cached answer has an old version.
    const readAt = cache && version?.(query)
    const input = { query, params, body, request: exchange }
    const handle = () => asClient(readClient(exchange.ip).network, () => handler(undefined, input))
    const isExpensive = spec.method === 'GET' && exchange.units >= EXPENSIVE_UNITS
    const result = isExpensive ? runExpensiveRead(exchange, handle) : handle()
    if (!(result instanceof Promise)) {
      respond(reply, result)
      return
    }
    result
      .then((value) => {
        if (readAt !== undefined) cacheAnswer(request, query, readAt, value)
        respond(reply, value)
      })
      .catch((error) => fail(reply, error))
  }

  /** Faults of the input are told to callers with a good token only. */
  function refuse(reply: FastifyReply, error: unknown): void {
    const checked = checkToken && isBadRequest(error) && checkToken(reply.request.exchange)
    const tell = () => fail(reply, error)
    if (checked) checked.then(tell, (refusal) => fail(reply, refusal))
    else tell()
  }

  function respond(reply: FastifyReply, result: object): void {
    if (isOfUser && reply.request.headers.authorization) reply.header('cache-control', PRIVATE)
    send(reply, result instanceof Answer ? result : jsonAnswer(result), status, options)
  }

  function cacheAnswer(request: FastifyRequest, query: object, readAt: number, value: object) {
    if (!(value instanceof Answer) || !isInMemory(value.body)) return
    if (request.raw.method !== 'GET' || value.status !== undefined || value.headers) return
    cache?.put(request.raw.url!, { query, version: readAt, body: value.body })
  }
}

/** The bytes of a body, once they are paid. */
function paid<B extends Uint8Array | undefined>(exchange: Exchange, bytes: B): B {
  if (bytes && bytes.length > FREE_BODY_BYTES) exchange.charge(unitsOfBytes(bytes.length))
  return bytes
}

/** The body of an upload; a request without a body has no bytes. */
async function readUpload({ exchange, body }: FastifyRequest): Promise<Uint8Array> {
  const read = body as ReadUpload | undefined
  return read ? paid(exchange, await read()) : NO_BYTES
}

/** The rows that a request asks for: those of its page, if it names a size. */
function rowsOf(query: object, maxRows: number): number {
  const { pageSize, limit = pageSize } = query as { pageSize?: unknown; limit?: unknown }
  return typeof limit === 'number' ? Math.min(limit, maxRows) : maxRows
}

const cachedAnswer = ({ body }: CachedAnswer): Answer => new Answer(body, JSON_TYPE)

const isBadRequest = (error: unknown): boolean =>
  error instanceof Rejection && error.code.startsWith('bad_request')

/** Wraps a thrown value that is not an Error. */
function fail(reply: FastifyReply, error: unknown): void {
  reply.send(error instanceof Error ? error : new Error(String(error)))
}

function send(
  reply: FastifyReply,
  answer: Answer,
  status: number,
  options: InterfaceOptions,
): void {
  const { exchange } = reply.request
  const { onClose } = answer
  const body = bytesOf(answer.body, reply)
  if (onClose) finished(reply.raw, onClose)
  const begin = () => writeHead(reply, answer, status)
  if (isInMemory(body)) {
    const { unread, stallTimeoutMs } = options
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    if (exchange.cached || onClose) exchange.isPaid = true
    exchange.chargeAnswer(bytes)
    // Bytes that answers share are in memory once.
    const held = answer.body instanceof LentBytes ? answer.body.heldBytes : bytes
    if (!onClose) countUnread(reply.raw, exchange.ip, held, unread, stallTimeoutMs)
  } else {
    exchange.isPaid = true
  }
  const isUnchanged = hasAnswer(answer, reply.request.headers)
  if (isUnchanged || (reply.request.method === 'HEAD' && !isInMemory(body))) {
    begin()
    sendNothing(reply, body, isUnchanged)
  } else if (body instanceof PartedBody) {
    sendParts(reply, body, options, begin).catch((error) => fail(reply, error))
  } else {
    begin()
    reply.send(body)
  }
}

/** Lent bytes are given back when the system has them, or the connection is closed. */
function bytesOf(body: Content, reply: FastifyReply): Exclude<Content, LentBytes> {
  if (!(body instanceof LentBytes)) return body
  reply.raw.once('close', () => body.giveBack())
  return body.bytes
}

const isInMemory = (body: Content): body is string | Uint8Array | LentBytes =>
  !(body instanceof Readable || body instanceof PartedBody)

function writeHead(reply: FastifyReply, answer: Answer, status: number): void {
  const { contentType, headers } = answer
  reply.code(answer.status ?? status)
  if (contentType !== undefined) reply.header('content-type', contentType)
  if (headers !== undefined) reply.headers(headers)
}

/** Answers a client that has the answer already, or asks for its head alone. */
function sendNothing(reply: FastifyReply, body: Content, isUnchanged: boolean): void {
  // The stream will not be read; an unread stream may never end.
  if (body instanceof Readable) body.destroy()
  if (isUnchanged) {
    reply.code(304).removeHeader('content-type').send('')
    return
  }
  if (body instanceof PartedBody && body.length !== undefined) {
    reply.header('content-length', String(body.length))
  }
  // For an empty text the length of the body would become 0.
  reply.send(body instanceof PartedBody ? Readable.from([]) : '')
}

/** Whether the client already has this answer. It gets 304 then, and no body. */
function hasAnswer({ headers }: Answer, asked: IncomingHttpHeaders): boolean {
  const etag = headers?.etag
  const known = asked['if-none-match']
  if (etag === undefined || known === undefined) return false
  return known === '*' || known.split(',').some((one) => opaque(one) === opaque(etag))
}

/** If-None-Match compares weak and strong etags alike. */
const opaque = (etag: string): string => etag.trim().replace(/^W\//, '')
