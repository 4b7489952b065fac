import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { finished } from 'node:stream'
import { logAnswer } from './answer-log.ts'
import { answerMemory } from './answer-memory.ts'
import type { CostBudget } from './cost-budget.ts'
import { isUnchanged } from './etags.ts'
import type { HttpMetrics } from './metrics.ts'
import { MAX_JOINED_BYTES, textLength } from './one-byte-body.ts'
import type { InterfaceOptions } from './options.ts'
import { corsOriginOf, requestId } from './requests.ts'
import type { Answer, Route } from './route.ts'

// What reads and writes that are served without the framework (plain-reads.ts, plain-writes.ts) have in common.

/** Serves a request and returns true; returns false, without side effects, for any other request. */
export type Serves = (request: IncomingMessage, response: ServerResponse) => boolean

/** What answers everything else, and the server of the connections. */
export type Behind = { readonly routing: RequestListener; readonly server: Server }

/** The options of an interface that plain answers depend on. */
export type PlainOptions = Pick<
  InterfaceOptions,
  | 'name'
  | 'routes'
  | 'basicAuth'
  | 'corsOrigin'
  | 'exposedHeaders'
  | 'headers'
  | 'trustedProxies'
  | 'keptAnswers'
  | 'logger'
> & {
  readonly costs?: Pick<CostBudget, 'charge' | 'settle'> | undefined
  readonly metrics: Pick<HttpMetrics, 'route'>
  isStopping(): boolean
}

export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** From `performance.now()`. */
  readonly started: number
}

export type Sent = {
  readonly answer: Answer
  /** Names and values that announce the limit of the route. */
  readonly limitHeaders: readonly string[]
  /** Why the request was refused. */
  readonly code?: string
}

/** Sends the answers of one route; returns the bytes of the body. */
export type Send = (exchange: Exchange & { readonly id: string }, sent: Sent) => number
export { requestId }

/** Whether the requests of this interface can be served without the framework. */
export const servesPlainly = (
  options: Pick<InterfaceOptions, 'name' | 'corsOrigin' | 'trustedProxies'>,
): boolean =>
  // Behind a proxy the client's address is in a header, which the framework reads.
  corsOriginOf(options) === '*' && (options.trustedProxies ?? []).length === 0

/** Whether everyone may call a route. The framework serves those that need credentials. */
export const isOpen = (
  { spec }: Route,
  { basicAuth = [] }: Pick<InterfaceOptions, 'basicAuth'>,
): boolean => !(spec.protected && basicAuth.length > 0) && !spec.needsKey && !spec.isOperatorOnly

export const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''

/** Makes the sender of a route's answers: with the same headers, metrics and log line as by the framework. */
export function senderOf(behind: Behind, { spec }: Route, options: PlainOptions): Send {
  const { logger, isStopping } = options
  const { method, path } = spec
  const commonHeaders = commonHeadersOf(options)
  const observe = options.metrics.route(options.name, path)
  return ({ request, response, started, id }, { answer, limitHeaders, code }) => {
    const { contentType, headers, isOneByte, onClose } = answer
    const isKnown = isUnchanged(answer, request.headers)
    const status = isKnown ? 304 : (answer.status ?? spec.status ?? 200)
    const whole = isKnown ? '' : wholeBody(answer, response)
    const encoding = isOneByte ? 'latin1' : 'utf8'
    const length = typeof whole === 'string' ? Buffer.byteLength(whole, encoding) : whole.length
    const all = ['x-request-id', id, ...commonHeaders, ...limitHeaders]
    const type = isKnown ? EMPTY_TYPE : contentType
    if (type !== undefined) all.push('content-type', type)
    for (const name in headers) all.push(name, headers[name]!)
    all.push('content-length', String(length))
    if (onClose && isKnown) onClose()
    else if (onClose) finished(response, onClose)
    response.writeHead(status, all)
    // A text is sent in one piece with the headers.
    if (typeof whole === 'string') response.end(whole, encoding)
    else response.end(whole)
    const ms = performance.now() - started
    observe(method, status, ms)
    logAnswer(logger, { requestId: id, method, route: path, status, code, ms })
    if (isStopping()) setImmediate(() => behind.server.closeIdleConnections())
    return length
  }
}

/** What the framework names the body of a 304. */
const EMPTY_TYPE = 'text/plain; charset=utf-8'

/** A large text becomes bytes: joined with its headers, it would be copied once more. */
function wholeBody({ body, isOneByte }: Answer, response: ServerResponse): string | Uint8Array {
  if (body instanceof Uint8Array && answerMemory.isCopy(body)) {
    response.once('finish', () => answerMemory.release(body))
    return body
  }
  const length = textLength(body)
  if (length > MAX_JOINED_BYTES && isOneByte) {
    const texts = (typeof body === 'string' ? [body] : body) as readonly string[]
    const joined = answerMemory.join(texts, length)
    response.once('finish', () => answerMemory.release(joined))
    return joined
  }
  if (Array.isArray(body)) return body.join('')
  return length > MAX_JOINED_BYTES ? Buffer.from(body as string) : (body as string | Uint8Array)
}

/** The headers of every answer, as the framework sends them to any origin. */
const commonHeadersOf = ({ headers = {}, exposedHeaders = [] }: PlainOptions): string[] => [
  ...Object.entries(headers).flat(),
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  exposedHeaders.join(', '),
]
