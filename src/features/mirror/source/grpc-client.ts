import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { HEAD_BYTES, MessageReader } from '../../../kernel/base/grpc-frames.ts'

// A client of gRPC on node:http2, like the server (decision 0222): calls with one answer and streams, bytes in and out.

/** The numbers of gRPC that matter here. */
export const STATUS = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  /** Of an answer that is too long, here or for the source. */
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** How a call failed. */
export class GrpcError extends Error {
  readonly status: number
  /** What the source asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The code that hubs add. */
  readonly code: string | undefined

  constructor(status: number, text: string, retryAfterMs?: number, code?: string) {
    super(text)
    this.name = 'GrpcError'
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.code = code
  }
}

const AWAY: ReadonlySet<number> = new Set([
  STATUS.unavailable,
  STATUS.deadlineExceeded,
  STATUS.resourceExhausted,
])

/** The source did not answer, which says nothing about what it has. */
export const isAway = (error: unknown): boolean =>
  error instanceof GrpcError && AWAY.has(error.status)

export type Target = {
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  /** Root certificates in place of the system's, as PEM. */
  readonly ca?: string | undefined
  /** Sent with each call. May hold keys: never shown. */
  readonly headers: Headers
}

type Headers = Readonly<Record<string, string>>

/** Whether a call failed because its data, or the call itself, have come through this server before. */
export const isLoop = (error: unknown): error is GrpcError =>
  error instanceof GrpcError && error.code === 'bad_request.mirror_loop'

/** An answer is at most this long: larger pages are asked for in parts. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const CONNECT_TIMEOUT_MS = 10_000
const PING_MS = 60_000
const PING_TIMEOUT_MS = 20_000
/** HTTP/2 flow control window of a stream and of the connection. */
const WINDOW_BYTES = 4 * 1024 * 1024

export type StreamHandlers = {
  /** The first answer of the source, before any message. */
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void
  readonly onMessage: (bytes: Buffer) => void
  /** What the source adds to the end of its answer. */
  readonly onTrailers?: (trailers: IncomingHttpHeaders) => void
}

/** A stream of messages. It is read no faster than it is resumed. */
export type MessageStream = {
  /** Resolves when the source ends the stream; rejects with a GrpcError otherwise. */
  readonly ended: Promise<void>
  pause(): void
  resume(): void
  close(): void
}

export class GrpcClient {
  readonly #target: Target
  #session: ClientHttp2Session | undefined

  constructor(target: Target) {
    this.#target = target
  }

  /** One request and its answer. Throws a GrpcError. */
  async call(
    path: string,
    request: Uint8Array,
    timeoutMs: number,
    headers?: Headers,
    onTrailers?: StreamHandlers['onTrailers'],
  ): Promise<Buffer> {
    let answer: Buffer | undefined
    // Another message ends the call: a source could send them without end.
    const onMessage = (bytes: Buffer) => {
      if (answer) throw new GrpcError(STATUS.internal, `${path}: more than one answer`)
      answer = bytes
    }
    const handlers = { onMessage, ...(onTrailers && { onTrailers }) }
    const stream = this.stream(path, request, handlers, { timeoutMs, headers })
    await stream.ended
    if (!answer) throw new GrpcError(STATUS.internal, `${path}: no answer`)
    return answer
  }

  stream(
    path: string,
    request: Uint8Array,
    handlers: StreamHandlers,
    {
      timeoutMs,
      headers,
    }: { readonly timeoutMs?: number; readonly headers?: Headers | undefined } = {},
  ): MessageStream {
    const stream = this.#open().request({
      ...this.#target.headers,
      ...headers,
      ':method': 'POST',
      ':path': path,
      ':scheme': this.#target.isSecure ? 'https' : 'http',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(timeoutMs !== undefined && { 'grpc-timeout': `${timeoutMs}m` }),
    })
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeUInt32BE(request.length, 1)
    stream.end(Buffer.concat([head, request]))
    return {
      ended: answerOf(stream, handlers, timeoutMs),
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
      close: () => stream.close(constants.NGHTTP2_CANCEL),
    }
  }

  close(): void {
    this.#session?.destroy()
    this.#session = undefined
  }

  #open(): ClientHttp2Session {
    const open = this.#session
    if (open && !open.closed && !open.destroyed) return open
    const { host, port, isSecure, ca } = this.#target
    const authority = `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
    const session = connect(authority, {
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
      ...(ca !== undefined && { ca }),
    })
    // Its streams fail with it; this is where it would be thrown otherwise.
    session.on('error', () => {})
    session.on('goaway', () => session.close())
    session.setTimeout(0)
    const connecting = setTimeout(() => session.destroy(timedOut()), CONNECT_TIMEOUT_MS)
    session.once('connect', () => {
      clearTimeout(connecting)
      // It may have been destroyed in between: the event comes all the same.
      if (!session.destroyed) session.setLocalWindowSize(WINDOW_BYTES)
    })
    const pings = keepAlive(session)
    session.once('close', () => {
      clearTimeout(connecting)
      clearInterval(pings)
    })
    this.#session = session
    return session
  }
}

/** Why a call failed, with what to do where the address names TLS and the hub has none. */
function reasonOf(error: Error): string {
  // Its session failed before the call was sent.
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  if (!code?.startsWith('ERR_SSL_') && code !== 'EPROTO') return error.message
  return `no TLS connection (${message.trim()}): a hub without TLS has an address with grpc:// in place of grpcs://`
}

const timedOut = () => new Error('the source does not answer')

/** Ends a connection over which nothing comes back: without it a stream would be silent for good. */
function keepAlive(session: ClientHttp2Session): NodeJS.Timeout {
  return setInterval(() => {
    if (session.destroyed || session.connecting) return
    const overdue = setTimeout(() => session.destroy(timedOut()), PING_TIMEOUT_MS).unref()
    session.ping(() => clearTimeout(overdue))
  }, PING_MS).unref()
}

function answerOf(
  stream: ClientHttp2Stream,
  { onHeaders, onMessage, onTrailers }: StreamHandlers,
  timeoutMs: number | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = new MessageReader(MAX_ANSWER_BYTES)
    let failure: Error | undefined
    let headers: IncomingHttpHeaders = {}
    let trailers: IncomingHttpHeaders = {}
    const overdue =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            failure = new GrpcError(STATUS.deadlineExceeded, `no answer within ${timeoutMs} ms`)
            stream.close(constants.NGHTTP2_CANCEL)
          }, timeoutMs)
    stream.on('response', (received) => {
      headers = received
      onHeaders?.(received)
    })
    stream.on('trailers', (received) => {
      trailers = received
      onTrailers?.(received)
    })
    stream.on('data', (chunk: Buffer) => {
      if (failure) return
      try {
        for (const { bytes } of reader.push(chunk)) onMessage(bytes)
      } catch (error) {
        failure =
          error instanceof GrpcError
            ? error
            : new GrpcError(STATUS.outOfRange, (error as Error).message)
        stream.close(constants.NGHTTP2_CANCEL)
      }
    })
    stream.on('error', (error) => {
      failure ??= new GrpcError(STATUS.unavailable, reasonOf(error))
    })
    stream.on('close', () => {
      clearTimeout(overdue)
      const error = failure ?? failureOf(headers, trailers)
      if (error) reject(error)
      else resolve()
    })
  })
}

/** Statuses of proxies that answer in place of the source. */
const HTTP_STATUS: Readonly<Record<number, number>> = {
  401: STATUS.unauthenticated,
  403: STATUS.permissionDenied,
  404: STATUS.unimplemented,
  429: STATUS.resourceExhausted,
}

/** Undefined for a call that succeeded. Statuses are in the trailers, or in the headers of an answer without messages. */
function failureOf(
  headers: IncomingHttpHeaders,
  trailers: IncomingHttpHeaders,
): GrpcError | undefined {
  const end = { ...headers, ...trailers }
  const status = end['grpc-status']
  const retryAfterMs = waitOf(end)
  const http = Number(headers[':status'] ?? 0)
  if (status === undefined) {
    if (http === 0) return new GrpcError(STATUS.unavailable, 'the connection was closed')
    if (http === 200)
      return new GrpcError(STATUS.unavailable, 'the answer was cut off', retryAfterMs)
    return new GrpcError(HTTP_STATUS[http] ?? STATUS.unavailable, `HTTP ${http}`, retryAfterMs)
  }
  if (Number(status) === STATUS.ok) return undefined
  const code = end['x-err-code'] ?? end.errcode
  return new GrpcError(Number(status), textOf(end['grpc-message']), retryAfterMs, code?.toString())
}

function textOf(message: string | string[] | undefined): string {
  const text = String(message ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function waitOf(end: IncomingHttpHeaders): number | undefined {
  const pushback = Number(end['grpc-retry-pushback-ms'] ?? Number.NaN)
  if (pushback >= 0) return pushback
  const seconds = Number(end['retry-after'] ?? Number.NaN)
  return seconds >= 0 ? seconds * 1_000 : undefined
}
