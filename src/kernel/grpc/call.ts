// One call on a stream of node:http2: how its request arrives, and how its answer is sent.

import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { MessageReader, type Received } from '../base/grpc-frames.ts'
import type { Body, BodyMemory } from '../limits/bodies.ts'
import type { Client as BodyOwner } from '../limits/client.ts'
import { asClient } from '../limits/current-client.ts'
import type { UnreadAnswer } from '../limits/unread.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Client, Clients } from './clients.ts'
import { type SharedFrames, writeMessages } from './frames.ts'
import {
  type Answer,
  MAX_REQUEST_BYTES,
  type Method,
  type StreamCall,
  type UnaryHandler,
} from './method.ts'
import {
  ACCEPTED_ENCODINGS,
  deadlineExceeded,
  endFrame,
  endOf,
  headersOf,
  inflated,
  type Protocol,
  timeoutOf,
  unreadableHeaders,
} from './protocol.ts'
import { type CallStatus, notOneMessage, statusOf, tookTooLong } from './status.ts'

/** Time for the whole request to arrive, as over HTTP: its stream would stay open for ever. */
const REQUEST_TIMEOUT_MS = 20_000
/** Time for which the rest of the request of an answered call is read and dropped. */
const DISCARD_MS = 10_000
/** Bytes of a stream that wait for its reader before the next messages are made. */
const MAX_WAITING_BYTES = 32 * 1024
/** What a message costs besides its bytes. */
const MESSAGE_OVERHEAD_BYTES = 64

export type CallOptions = {
  readonly protocol: Protocol
  readonly corsOrigin: string
  /** The address of the other end of the connection. */
  readonly peer: string
  readonly client: Client
  readonly clients: Clients
  /** Bytes of requests that have not arrived whole, or are not handled yet. */
  readonly bodies: BodyMemory
  readonly owner: BodyOwner
  readonly frames: SharedFrames
  /** A client that takes nothing of an answer for this long is gone; of a stream that wrote a message, longer. */
  readonly stallMs: number
  readonly streamStallMs: number
  ended(call: HubCall, how: CallEnd): void
  closed(call: HubCall): void
}

/** How a call ended; successfully when `status` is undefined. */
export type CallEnd = {
  readonly status: CallStatus | undefined
  readonly error: unknown
  readonly ms: number
}

export class HubCall implements StreamCall, UnreadAnswer {
  /** What metrics and the log call the method. */
  readonly method: string
  /** When `expire` is to be called, by performance.now(). */
  dueAtMs = Number.POSITIVE_INFINITY
  readonly #stream: ServerHttp2Stream
  readonly #headers: IncomingHttpHeaders
  readonly #options: CallOptions
  readonly #startedAt = performance.now()
  /** The memory of the request. */
  readonly #body: Body
  #unreadBytes = 0
  #drained = Promise.withResolvers<void>()
  #deadline: NodeJS.Timeout | undefined
  #aborted: AbortController | undefined
  #trailers: OutgoingHttpHeaders = {}
  #isStream = false
  /** Whether its status was sent; later writes of its handler are dropped. */
  #isEnded = false

  constructor(
    method: string,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    options: CallOptions,
  ) {
    this.method = method
    this.#stream = stream
    this.#headers = headers
    this.#options = options
    this.#body = options.bodies.open(options.owner, (reason) => this.refuse(reason))
    // An error is followed by the end of the stream.
    stream.on('error', () => {})
    stream.on('close', () => this.#close())
  }

  get peer(): string {
    return this.#options.peer
  }

  get client(): Client {
    return this.#options.client
  }

  header(name: string): string | undefined {
    return this.#headers[name] as string | undefined
  }

  isCancelled(): boolean {
    return this.#isEnded || this.#stream.closed || this.#stream.destroyed
  }

  get signal(): AbortSignal {
    this.#aborted ??= new AbortController()
    if (this.isCancelled()) this.#aborted.abort()
    return this.#aborted.signal
  }

  /** Reads the request and lets the method answer it. */
  begin(method: Method): void {
    if (this.isCancelled()) return
    try {
      const timeoutMs = timeoutOf(this.#headers)
      if (timeoutMs !== undefined) {
        this.#deadline = setTimeout(() => this.#end(deadlineExceeded()), timeoutMs)
      }
    } catch (error) {
      this.#end(unreadableHeaders(error))
      return
    }
    try {
      method.admit?.(this)
    } catch (error) {
      this.refuse(error)
      return
    }
    const { maxRequestBytes = MAX_REQUEST_BYTES } = method
    const reader = new MessageReader(maxRequestBytes)
    this.#isStream = method.kind !== 'unary'
    if (method.kind === 'duplex') {
      const requests = this.#requests(reader, maxRequestBytes)
      this.#run(method.handle(requests, this))
    } else {
      this.dueAtMs = this.#startedAt + REQUEST_TIMEOUT_MS
      this.#readOne(reader, (received) => this.#handle(method, received, maxRequestBytes))
    }
  }

  /** Ends a call that is not handled. What still comes of it is dropped. */
  refuse(error: unknown): void {
    this.#end(statusOf(error), { error })
  }

  /** Answers a request that is no gRPC call. */
  answer(headers: OutgoingHttpHeaders): void {
    if (this.isCancelled()) return
    this.#isEnded = true
    this.#stream.respond(headers, { endStream: true })
    this.#discardRest()
  }

  /** Drops the request while the refusal is held back. */
  discard(): void {
    this.#stream.resume()
  }

  /** Ends the stream with RST_STREAM: a status would wait behind the message that is not read. */
  reset(): void {
    this.#stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  /** Ends a call that takes too long. */
  expire(): void {
    this.dueAtMs = Number.POSITIVE_INFINITY
    if (this.#isEnded) this.#stream.close(constants.NGHTTP2_NO_ERROR)
    else this.refuse(tookTooLong())
  }

  sendHeaders(headers: Readonly<Record<string, string>> = {}): void {
    if (this.isCancelled()) return
    const stream = this.#stream
    // Data that waits is looked at alone: a silent stream is no stalled one.
    stream.setTimeout(this.#options.streamStallMs, () => {
      if (this.#unreadBytes > 0) this.reset()
    })
    this.#respond(headers)
  }

  write(messages: readonly Uint8Array[]): Promise<void> | undefined {
    if (!this.#stream.headersSent) this.sendHeaders()
    this.#send(messages, this.#options.frames)
    if (this.#unreadBytes < MAX_WAITING_BYTES || this.isCancelled()) return undefined
    this.#drained = Promise.withResolvers()
    return this.#drained.promise
  }

  /** Reads the only message of a request. */
  #readOne(reader: MessageReader, handle: (received: Received) => void): void {
    let received: Received | undefined
    const take = (chunk: Buffer) => {
      if (this.#isEnded) return
      try {
        const [first, second] = reader.push(chunk)
        if (second || (first && received)) throw notOneMessage(this.method)
        received ??= first
        // The message is a slice of the last chunk or of earlier ones.
        this.#body.hold(reader.keptBytes + (received?.bytes.length ?? 0))
      } catch (error) {
        this.refuse(error)
      }
    }
    this.#stream.on('data', take).on('end', () => {
      if (this.#isEnded) return
      this.dueAtMs = Number.POSITIVE_INFINITY
      this.#body.arrived()
      if (received && reader.keptBytes === 0) handle(received)
      else this.refuse(notOneMessage(this.method))
    })
  }

  /** The messages of a stream of requests: the next ones are read when these were handled. */
  async *#requests(reader: MessageReader, maxBytes: number): AsyncGenerator<Uint8Array> {
    // The default iterator would destroy the stream, and with it the answers, at the end of the requests.
    for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) {
      const messages = reader.push(chunk)
      this.#body.hold(reader.keptBytes)
      const isPartial = reader.keptBytes > 0
      this.dueAtMs = isPartial ? performance.now() + REQUEST_TIMEOUT_MS : Number.POSITIVE_INFINITY
      for (const received of messages) yield this.#messageOf(received, maxBytes)
    }
  }

  #handle(
    method: Extract<Method, { kind: 'unary' | 'serverStream' }>,
    received: Received,
    maxBytes: number,
  ): void {
    const { client, clients, owner } = this.#options
    if (method.kind === 'serverStream') {
      this.#body.hold(0)
      const message = this.#messageOf(received, maxBytes)
      this.#run(
        message instanceof Promise
          ? message.then((bytes) => method.handle(bytes, this))
          : method.handle(message, this),
      )
      return
    }
    const isShort = method.isShort ?? false
    // What waits must not keep all that was read from the socket with it.
    const own = clients.mayHandle(client, isShort)
      ? received
      : { ...received, bytes: Buffer.from(received.bytes) }
    clients
      .handle(client, isShort, () =>
        asClient(owner.network, () => this.#answer(method.handle, own, maxBytes)),
      )
      .then(
        (answer) => this.#succeed(answer),
        (error) => this.refuse(error),
      )
  }

  async #answer(handle: UnaryHandler, received: Received, maxBytes: number) {
    this.#body.hold(0)
    // It may have waited for the client to read.
    if (this.isCancelled()) throw new Rejection('unavailable', 'the call was cancelled')
    const message = this.#messageOf(received, maxBytes)
    return handle(message instanceof Promise ? await message : message, this)
  }

  #messageOf({ isCompressed, bytes }: Received, maxBytes: number): Buffer | Promise<Buffer> {
    return isCompressed ? inflated(bytes, this.#headers, maxBytes) : bytes
  }

  #run(handled: Promise<void>): void {
    handled.then(
      () => this.#end(undefined),
      (error) => this.refuse(error),
    )
  }

  #succeed(answer: Uint8Array | Answer): void {
    const [bytes, trailers] =
      answer instanceof Uint8Array ? [answer, undefined] : [answer.bytes, answer.trailers]
    if (!this.isCancelled()) {
      this.#respond({})
      this.#stream.setTimeout(this.#options.stallMs, () => this.reset())
      this.#send([bytes])
    }
    this.#end(undefined, { trailers })
  }

  /** Begins the answer. With gRPC, the end of the call is sent behind the last message. */
  #respond(headers: OutgoingHttpHeaders): void {
    const stream = this.#stream
    const { protocol, corsOrigin } = this.#options
    const waitForTrailers = protocol === 'grpc'
    stream.respond({ ...headersOf(protocol, corsOrigin), ...headers }, { waitForTrailers })
    if (waitForTrailers) stream.on('wantTrailers', () => stream.sendTrailers(this.#trailers))
  }

  #send(messages: readonly Uint8Array[], shared?: SharedFrames): void {
    if (this.isCancelled()) return
    const { client, clients } = this.#options
    let bytes = 0
    const onWritten = (error?: Error | null) => {
      // A failed write ends the stream, which returns all that is unread.
      if (error || this.#stream.destroyed) return
      this.#unreadBytes -= bytes
      clients.taken(client, this, bytes)
      if (this.#unreadBytes === 0) this.#drained.resolve()
    }
    bytes = writeMessages(this.#stream, messages, onWritten, shared) + MESSAGE_OVERHEAD_BYTES
    this.#unreadBytes += bytes
    clients.sent(client, this, bytes)
  }

  #end(
    status: CallStatus | undefined,
    { error, trailers }: { error?: unknown; trailers?: Answer['trailers'] | undefined } = {},
  ): void {
    if (this.#isEnded) return
    const stream = this.#stream
    const hasLeft = this.isCancelled()
    this.#isEnded = true
    this.#release()
    // Streams fail when their client leaves them.
    if (!(hasLeft && status && this.#isStream)) {
      this.#options.ended(this, { status, error, ms: performance.now() - this.#startedAt })
    }
    if (hasLeft) return
    const end = endOf(status, trailers)
    const { protocol, corsOrigin } = this.#options
    if (!stream.headersSent) {
      const headers = { ...headersOf(protocol, corsOrigin), ...end }
      stream.respond(
        { ...headers, 'grpc-accept-encoding': ACCEPTED_ENCODINGS },
        { endStream: true },
      )
    } else if (protocol === 'grpc') {
      this.#trailers = end
      stream.end()
    } else {
      stream.end(endFrame(end))
    }
    this.#discardRest()
  }

  #discardRest(): void {
    if (this.#stream.readableEnded) return
    this.#stream.resume()
    this.dueAtMs = performance.now() + DISCARD_MS
  }

  /** Releases what the call holds, and aborts its handler. */
  #release(): void {
    clearTimeout(this.#deadline)
    this.dueAtMs = Number.POSITIVE_INFINITY
    this.#body.hold(0)
    this.#aborted?.abort()
    this.#drained.resolve()
  }

  #close(): void {
    this.#release()
    const { client, clients } = this.#options
    if (this.#unreadBytes > 0) clients.taken(client, this, this.#unreadBytes)
    this.#unreadBytes = 0
    this.#options.closed(this)
  }
}
