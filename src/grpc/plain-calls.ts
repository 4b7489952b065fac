// Most calls are reads: a short request and one answer. What grpc-js does around such a call costs more CPU than node:http2
// and the read together, so they are answered directly, with the same budgets, metrics and errors. grpc-js handles
// everything else: streams, submits, deadlines, compression, and what is no gRPC call.

import {
  constants,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Server } from '@grpc/grpc-js'
import { Rejection } from '../protocol/rejection.ts'
import { HEAD_BYTES } from './frames.ts'
import type { Call } from './method.ts'
import { notOneMessage, type statusOf, tookTooLong } from './status.ts'
import { REQUEST_TIMEOUT_MS, type Unread, type UnreadCall, writeFramed } from './unread.ts'

/** Longest request of a method that reads: none needs more, and decoding a longer one would cost too much. */
export const MAX_READ_REQUEST_BYTES = 65_536
/** For how long what still comes of a refused request is read and dropped. */
const DISCARD_MS = 10_000

type Status = ReturnType<typeof statusOf>

export type PlainMethod = {
  readonly name: string
  handle(request: Uint8Array, call: Call): Promise<Uint8Array> | Uint8Array
  /** Called when a call has ended. Returns the status of a failure. */
  ended(error: unknown, startedAt: number): Status | undefined
}

const CONTENT_TYPE = 'application/grpc'
const HEADERS: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
}
const OK_TRAILERS: OutgoingHttpHeaders = { 'grpc-status': 0, 'grpc-message': 'OK' }

/** Lets the plain methods of `server` be answered here. To be called once it has its listener of streams. */
export function interceptCalls(
  server: Server,
  methods: ReadonlyMap<string, PlainMethod>,
  unread: Unread,
): void {
  const peers = new WeakMap<ServerHttp2Session, string>()
  for (const http2 of http2ServersOf(server)) {
    const own = http2.listeners('stream') as ((...event: unknown[]) => void)[]
    http2.removeAllListeners('stream')
    http2.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest) => {
      const method = methods.get(headers[':path'] as string)
      if (method && isPlain(headers)) {
        new PlainCall(stream, headers, { method, unread, peer: peerOf(stream, peers) }).read()
        return
      }
      for (const listener of own) listener.call(http2, stream, headers, ...rest)
    })
  }
}

/** Not in the declarations of grpc-js. */
const http2ServersOf = (server: Server): Http2Server[] => [
  ...(
    server as unknown as { readonly http2Servers: Map<Http2Server, unknown> }
  ).http2Servers.keys(),
]

const isPlain = (headers: IncomingHttpHeaders): boolean =>
  headers[':method'] === 'POST' &&
  headers['grpc-timeout'] === undefined &&
  (headers['grpc-encoding'] ?? 'identity') === 'identity' &&
  (headers['content-type'] ?? '').startsWith(CONTENT_TYPE)

/** Address and port of the other end, as grpc-js names it. Found by way of the socket, which costs more than a call should. */
function peerOf(
  { session }: ServerHttp2Stream,
  peers: WeakMap<ServerHttp2Session, string>,
): string {
  // The stream is announced a moment after it came, and its connection may have gone.
  if (!session || session.destroyed) return 'unknown'
  let peer = peers.get(session as ServerHttp2Session)
  if (peer === undefined) {
    const { remoteAddress, remotePort } = session.socket
    peer = remoteAddress ? `${remoteAddress}:${remotePort}` : 'unknown'
    peers.set(session as ServerHttp2Session, peer)
  }
  return peer
}

type PlainCallOptions = {
  readonly method: PlainMethod
  readonly unread: Unread
  readonly peer: string
}

class PlainCall implements Call, UnreadCall {
  readonly #stream: ServerHttp2Stream
  readonly #headers: IncomingHttpHeaders
  readonly #options: PlainCallOptions
  readonly #startedAt = performance.now()
  readonly #key: string
  readonly #chunks: Buffer[] = []
  #length = 0
  /** Of the answer, while it is not taken. */
  #unreadBytes: number | undefined
  #sentAtMs = 0
  #arrivalTimer: NodeJS.Timeout | undefined
  #isAnswered = false

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, options: PlainCallOptions) {
    this.#stream = stream
    this.#headers = headers
    this.#options = options
    this.#key = options.unread.keyOf(options.peer, this.header('x-forwarded-for'))
  }

  get method(): string {
    return this.#options.method.name
  }

  get peer(): string {
    const { peer } = this.#options
    return peer.slice(0, Math.max(0, peer.lastIndexOf(':')))
  }

  get sentAtMs(): number {
    return this.#sentAtMs
  }

  header(name: string): string | undefined {
    return this.#headers[name] as string | undefined
  }

  isCancelled(): boolean {
    return this.#stream.closed || this.#stream.destroyed
  }

  /** Ends the stream with RST_STREAM: a status would wait behind the message that is not read. */
  reset(): void {
    this.#taken()
    this.#stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  /** Reads the request, and answers it once it is whole. */
  read(): void {
    this.#arrivalTimer = setTimeout(() => this.#refuse(tookTooLong()), REQUEST_TIMEOUT_MS)
    this.#arrivalTimer.unref()
    // An error is followed by the end of the stream.
    this.#stream.on('error', () => {})
    this.#stream.on('close', () => {
      clearTimeout(this.#arrivalTimer)
      this.#taken()
    })
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#stream.on('end', () => this.#answer())
  }

  #take(chunk: Buffer): void {
    if (this.#isAnswered) return
    this.#length += chunk.length
    this.#chunks.push(chunk)
    if (this.#length <= HEAD_BYTES + MAX_READ_REQUEST_BYTES) return
    const bytes = Buffer.concat(this.#chunks).readUInt32BE(1)
    this.#chunks.length = 0
    const text = `the request has ${bytes} bytes; at most ${MAX_READ_REQUEST_BYTES} are taken`
    this.#refuse(new Rejection('bad_request.too_large', text))
  }

  #answer(): void {
    if (this.#isAnswered) return
    clearTimeout(this.#arrivalTimer)
    const [first = NO_BYTES] = this.#chunks
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    // One message, and not compressed.
    const isOne = body.length >= HEAD_BYTES && body.length === HEAD_BYTES + body.readUInt32BE(1)
    if (!isOne || body[0] !== 0) {
      this.#refuse(notOneMessage(this.method))
      return
    }
    const { method, unread } = this.#options
    unread
      .handle(this.#key, async () => {
        // It may have waited for the client to read.
        if (this.isCancelled()) throw new Rejection('unavailable', 'the call was cancelled')
        return method.handle(body.subarray(HEAD_BYTES), this)
      })
      .then(
        (bytes) => this.#succeed(bytes),
        (error) => this.#refuse(error),
      )
  }

  #succeed(bytes: Uint8Array): void {
    this.#isAnswered = true
    this.#options.method.ended(undefined, this.#startedAt)
    const stream = this.#stream
    if (this.isCancelled()) return
    stream.respond(HEADERS, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(OK_TRAILERS))
    this.#sentAtMs = performance.now()
    this.#unreadBytes = bytes.length
    this.#options.unread.sent(this.#key, this, bytes.length)
    writeFramed(stream, bytes, (error) => {
      if (!error) this.#taken()
    })
    stream.end()
  }

  #refuse(error: unknown): void {
    this.#isAnswered = true
    clearTimeout(this.#arrivalTimer)
    const { code, details, trailers } = this.#options.method.ended(error, this.#startedAt)!
    const stream = this.#stream
    if (this.isCancelled()) return
    stream.respond(
      { ...HEADERS, 'grpc-status': code, 'grpc-message': encodeURI(details), ...trailers },
      { endStream: true },
    )
    if (stream.readableEnded) return
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), DISCARD_MS)
    timer.unref()
    stream.on('close', () => clearTimeout(timer))
  }

  #taken(): void {
    if (this.#unreadBytes === undefined) return
    this.#options.unread.taken(this.#key, this, this.#unreadBytes)
    this.#unreadBytes = undefined
  }
}

const NO_BYTES = Buffer.alloc(0)
