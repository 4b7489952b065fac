import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { InterfaceOptions } from './options.ts'
import { Answer, type Route } from './route.ts'
import { corsOriginOf, logAnswer, requestId } from './server.ts'

// What reads and writes that are served without the framework (plain-reads.ts, plain-writes.ts) have in common.

/** The largest body that is joined with its headers. */
const MAX_JOINED_BYTES = 16_384

/** Serves a request and returns true; returns false, without side effects, for any other request. */
export type Serves = (request: IncomingMessage, response: ServerResponse) => boolean

export type PlainOptions = InterfaceOptions & { isStopping(): boolean }

export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** From `performance.now()`. */
  readonly started: number
}

export type Sent = {
  readonly status: number
  /** Names and values, besides those of every answer. */
  readonly headers: readonly string[]
  readonly body: Answer['body']
  readonly isOneByte: boolean
  /** Why the request was refused. */
  readonly code?: string
}

/** An answer whose large text is bytes already, so that it is not encoded each time it is sent. */
export const inOnePiece = (answer: Answer): Answer => {
  const { body, contentType, isOneByte } = answer
  if (typeof body !== 'string' || body.length <= MAX_JOINED_BYTES) return answer
  return new Answer(Buffer.from(body, isOneByte ? 'latin1' : 'utf8'), contentType)
}

/** Sends the answers of one route; returns the bytes of the body. */
export type Send = (exchange: Exchange & { readonly id: string }, sent: Sent) => number

export { requestId }

/** Whether the requests of this interface can be served without the framework. */
export const servesPlainly = (options: InterfaceOptions): boolean =>
  // Behind a proxy the client's address is in a header, which the framework reads.
  corsOriginOf(options) === '*' && (options.trustedProxies ?? []).length === 0

/** Whether everyone may call a route. The framework serves those that need credentials. */
export const isOpen = ({ spec }: Route, { basicAuth = [] }: InterfaceOptions): boolean =>
  !(spec.protected && basicAuth.length > 0) && !spec.needsKey && !spec.isOperatorOnly

export const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''

/** Makes the sender of a route's answers: with the same headers, metrics and log line as by the framework. */
export function senderOf(app: FastifyInstance, { spec }: Route, options: PlainOptions): Send {
  const { logger, isStopping } = options
  const { method, path } = spec
  const commonHeaders = commonHeadersOf(options)
  const observe = options.metrics.route(options.name, path)
  return ({ response, started, id }, { status, headers, body, isOneByte, code }) => {
    const isText = typeof body === 'string'
    const encoding = isOneByte ? 'latin1' : 'utf8'
    const length = isText ? Buffer.byteLength(body, encoding) : (body as Uint8Array).length
    response.writeHead(status, [
      'x-request-id',
      id,
      ...commonHeaders,
      ...headers,
      'content-length',
      String(length),
    ])
    // A small text is sent in one piece with the headers; a large one would be copied once more for that.
    if (!isText) response.end(body)
    else if (length > MAX_JOINED_BYTES) response.end(Buffer.from(body, encoding))
    else response.end(body, encoding)
    const ms = performance.now() - started
    observe(method, status, ms)
    logAnswer(logger, { requestId: id, method, route: path, status, code, ms })
    if (isStopping()) setImmediate(() => app.server.closeIdleConnections())
    return length
  }
}

/** The headers of every answer, as the framework sends them to any origin. */
const commonHeadersOf = ({ headers = {}, exposedHeaders = [] }: InterfaceOptions): string[] => [
  ...Object.entries(headers).flat(),
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  exposedHeaders.join(', '),
]
