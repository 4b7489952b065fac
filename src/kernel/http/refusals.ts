import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Rejection, type RejectionCode } from '../protocol/rejection.ts'
import { type ErrorShape, errorBody, errorRow, rejectionOf, retryAfter } from './errors.ts'
import type { HttpMetrics } from './metrics.ts'
import type { InterfaceOptions } from './options.ts'
import { corsOriginOf, noRequestId } from './requests.ts'
import { JSON_TYPE } from './route.ts'

/** An unread body up to this size is discarded; a larger one costs its sender the connection. */
const MAX_DISCARDED_BODY_BYTES = 65_536

/** What is answered to somebody's token is for nobody else, also not later in the same browser. */
export const PRIVATE = 'private, no-store'

/** Answers an error, and counts it. Internal errors are logged with their stack; the caller gets the request id. */
export function refuse(
  { name, errors, metrics, logger }: InterfaceOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const rejection = rejectionOf(error)
  const { status } = errorRow(rejection.code)
  metrics.rejected(name, rejection.code)
  if (rejection !== error && status >= 500) {
    logger.error({ err: error, requestId: request.id, route: routeOf(request) }, 'fault')
  }
  const body = JSON.stringify(errorBody(errors, rejection, request.id))
  if (request.exchange) {
    request.exchange.rejection = rejection
    request.exchange.chargeRefusal(status, body.length)
  }
  const seconds = retryAfter(rejection)
  if (seconds !== undefined) reply.header('retry-after', String(seconds))
  if (rejection.code === 'unauthenticated') {
    reply.header('www-authenticate', challengeOf(errors, isOfScript(request)))
  }
  if (request.headers.authorization) reply.header('cache-control', PRIVATE)
  // RFC 9110, 12.5.3: which content codings a body may have.
  if (status === 415) reply.header('accept-encoding', 'identity')
  if (hasLargeUnreadBody(request)) reply.header('connection', 'close')
  reply.code(status).header('content-type', JSON_TYPE).send(body)
}

/**
 * Refuses after a while. Nothing more is read from the connection until then; a request of this process has
 * none.
 */
export function refuseLate(socket: Partial<Socket>, delayMs: number, refuse: () => void): void {
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

export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'unmatched'

/** Whether more of the body is left than is worth reading to keep the connection. */
function hasLargeUnreadBody({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete) return false
  if (headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length']) > MAX_DISCARDED_BODY_BYTES
}

/** The WWW-Authenticate header of a 401: a token, a key, or elsewhere a password. */
const challengeOf = (shape: ErrorShape, isOfScript: boolean): string =>
  CHALLENGES[shape] ?? (isOfScript ? 'Bearer' : 'Basic realm="rookery"')
/** A browser answers `Basic` with a dialog of its own, and the script of the page waits until a person closes it. */
const isOfScript = ({ headers }: FastifyRequest): boolean => headers['sec-fetch-dest'] === 'empty'
const CHALLENGES: { readonly [Shape in ErrorShape]?: string } = {
  platform: 'Bearer',
  app: 'ApiKey realm="rookery"',
}

type RefusalOptions = Pick<InterfaceOptions, 'name' | 'errors' | 'corsOrigin'> & {
  readonly metrics: Pick<HttpMetrics, 'rejected'>
}

/** Codes of connections and requests beyond the limits, beside those of Node's errors. */
export const TOO_MANY_CONNECTIONS = 'TOO_MANY_CONNECTIONS'
export const TOO_MANY_REQUESTS = 'TOO_MANY_REQUESTS'

/** Answers a connection whose input is no HTTP request, by the code of the error. Nothing of the input is used. */
export function refuseSocket(
  options: RefusalOptions,
  errorCode: string | undefined,
  socket: Socket,
): void {
  if (!socket.writable || errorCode === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, code, message] = SOCKET_REFUSALS[errorCode ?? ''] ?? NOT_HTTP
  const rejection = new Rejection(code, message)
  options.metrics.rejected(options.name, code)
  const body = JSON.stringify(
    errorBody(options.errors, rejection, noRequestId, Number.parseInt(status, 10)),
  )
  const head = [
    `HTTP/1.1 ${status}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...(corsOriginOf(options) === '*' ? ['access-control-allow-origin: *'] : []),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroySoon())
}

type SocketRefusal = readonly [status: string, code: RejectionCode, message: string]

const NOT_HTTP: SocketRefusal = ['400 Bad Request', 'bad_request.parse_failure', 'this is not HTTP']

/** Answers that are given below the routes, where Node counts bytes, seconds and connections, by the code of the error. */
const SOCKET_REFUSALS: Readonly<Record<string, SocketRefusal>> = {
  [TOO_MANY_CONNECTIONS]: [
    '503 Service Unavailable',
    'unavailable.overloaded',
    'too many connections are open',
  ],
  [TOO_MANY_REQUESTS]: [
    '503 Service Unavailable',
    'unavailable.overloaded',
    'too many requests of this connection wait for an answer',
  ],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'bad_request.too_large',
    'url and headers are too large',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'bad_request.parse_failure',
    'the request took too long',
  ],
}
