import { constants, type ServerHttp2Stream } from 'node:http2'
import {
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  status as StatusCode,
} from '@grpc/grpc-js'
import { Frames, framed } from './frames.ts'
import { errorTrailers, transportErrCode } from './status.ts'

// What clients have not read yet. grpc-js hands every message to node:http2, which keeps it until the client's
// windows and its socket take it: a client that asks for large answers and reads none would fill the memory.

export type UnreadBounds = {
  /** A client with more unread bytes gets no further unary call handled until it reads. */
  readonly clientBytes: number
  /** Unary calls of one client that are handled at a time: each may add an answer of 4 MiB. */
  readonly clientCalls: number
  /** Beyond it the calls of the client with the most unread bytes are reset. */
  readonly totalBytes: number
  /** A call whose message was not taken for this long is reset. */
  readonly messageMs: number
}

const MIB = 1024 * 1024
const DEFAULT_BOUNDS: UnreadBounds = {
  clientBytes: 16 * MIB,
  clientCalls: 8,
  totalBytes: 128 * MIB,
  // Longer than Subscribe waits before it ends a stream with a status, which a reader that goes on still gets.
  messageMs: 11 * 60_000,
}

/** How often it is looked whether a message was taken, within the time for it and at least. */
const WATCHES_IN_TIME = 8
const MAX_WATCH_INTERVAL_MS = 30_000

/** Time in which the complete request of a unary call must arrive. */
export const REQUEST_TIMEOUT_MS = 20_000

/** A call whose client may not have read the answer yet. */
export type UnreadCall = {
  /** When the message that waits was sent, by performance.now(). */
  readonly sentAtMs: number
  /** Ends the call although the message was not read. */
  reset(): void
}

type Client = {
  unreadBytes: number
  handled: number
  readonly calls: Set<UnreadCall>
  /** Continue handling calls, in the order in which they came. */
  readonly waiting: (() => void)[]
}

/** Counts unread bytes by client and in all. */
export class Unread {
  readonly #bounds: UnreadBounds
  readonly #clientOf: (peer: string, forwardedFor: string | undefined) => string
  readonly #clients = new Map<string, Client>()
  #bytes = 0
  #watch: NodeJS.Timeout | undefined

  constructor(
    clientOf: (peer: string, forwardedFor: string | undefined) => string,
    bounds: Partial<UnreadBounds> = {},
  ) {
    this.#clientOf = clientOf
    this.#bounds = { ...DEFAULT_BOUNDS, ...bounds }
  }

  /** Of all clients. */
  get bytes(): number {
    return this.#bytes
  }

  /** Calls with a message that was not read, of all clients. */
  get calls(): number {
    return [...this.#clients.values()].reduce((sum, { calls }) => sum + calls.size, 0)
  }

  close(): void {
    clearInterval(this.#watch)
  }

  /** A connection, and behind a trusted proxy one of its clients. */
  keyOf(peer: string, forwardedFor: string | undefined): string {
    const address = peer.slice(0, peer.lastIndexOf(':'))
    return `${peer} ${this.#clientOf(address, forwardedFor)}`
  }

  /** Runs `work` once the client has read enough and few other calls of it are handled. */
  async handle<T>(key: string, work: () => Promise<T>): Promise<T> {
    const client = this.#client(key)
    if (this.#mayHandle(client) && client.waiting.length === 0) client.handled++
    // `#goOn` has counted this call when it resolves the promise.
    else await new Promise<void>((resolve) => client.waiting.push(resolve))
    try {
      return await work()
    } finally {
      client.handled--
      this.#goOn(key, client)
    }
  }

  sent(key: string, call: UnreadCall, bytes: number): void {
    const client = this.#client(key)
    this.#watch ??= this.#startWatch()
    client.calls.add(call)
    client.unreadBytes += bytes
    this.#bytes += bytes
    if (this.#bytes > this.#bounds.totalBytes) this.#resetLargest()
  }

  taken(key: string, call: UnreadCall, bytes: number): void {
    const client = this.#client(key)
    client.calls.delete(call)
    client.unreadBytes -= bytes
    this.#bytes -= bytes
    this.#goOn(key, client)
  }

  #client(key: string): Client {
    let client = this.#clients.get(key)
    if (!client) {
      client = { unreadBytes: 0, handled: 0, calls: new Set(), waiting: [] }
      this.#clients.set(key, client)
    }
    return client
  }

  #mayHandle({ unreadBytes, handled }: Client): boolean {
    return unreadBytes < this.#bounds.clientBytes && handled < this.#bounds.clientCalls
  }

  #goOn(key: string, client: Client): void {
    while (client.waiting.length > 0 && this.#mayHandle(client)) {
      client.handled++
      client.waiting.shift()!()
    }
    const isIdle = client.calls.size === 0 && client.handled === 0 && client.waiting.length === 0
    if (isIdle) this.#clients.delete(key)
  }

  /** One timer for all calls: a timer of each message costs more than the rest of its measurement. */
  #startWatch(): NodeJS.Timeout {
    const { messageMs } = this.#bounds
    const intervalMs = Math.min(messageMs / WATCHES_IN_TIME, MAX_WATCH_INTERVAL_MS)
    const watch = setInterval(() => {
      const now = performance.now()
      for (const { calls } of [...this.#clients.values()]) {
        for (const call of [...calls]) if (now - call.sentAtMs >= messageMs) call.reset()
      }
    }, intervalMs)
    return watch.unref()
  }

  #resetLargest(): void {
    let largest: Client | undefined
    for (const client of this.#clients.values()) {
      if (client.unreadBytes > (largest?.unreadBytes ?? 0)) largest = client
    }
    for (const call of [...(largest?.calls ?? [])]) call.reset()
  }
}

/** Bytes of a message or of several. */
export const sizeOf = (message: Buffer | Frames): number =>
  message instanceof Frames ? message.bytes.length : message.length

type MeasuredCallOptions = {
  /** Whether the first message is the last one. */
  readonly isUnary: boolean
  /** Called when the request did not arrive; undefined for streams of requests. */
  readonly onLate: ((call: MeasuredCall) => void) | undefined
}

/** What a proxy says of its client. */
export const forwardedFor = (metadata: Metadata): string | undefined =>
  metadata.get('x-forwarded-for').map(String).join(',') || undefined

const NO_METADATA = new Metadata()

type Status = Parameters<ServerInterceptingCallInterface['sendStatus']>[0]

/** The transport sends some statuses itself. Adds the trailers in which clients find the code of an error to them. */
function nameErrors(call: ServerInterceptingCallInterface): void {
  const send = call.sendStatus.bind(call)
  call.sendStatus = (status) => send(withErrCode(status))
}

function withErrCode(status: Status): Status {
  const { code, metadata } = status
  if (code === StatusCode.OK || (metadata && metadata.get('errcode').length > 0)) return status
  const named = metadata?.clone() ?? new Metadata()
  for (const [name, value] of Object.entries(errorTrailers(transportErrCode(code)))) {
    named.set(name, value)
  }
  return { ...status, metadata: named }
}
/** Writes a message with its head, or messages that have theirs. */
export function writeFramed(
  stream: ServerHttp2Stream,
  message: Uint8Array | Frames,
  onWritten: (error?: Error | null) => void,
): void {
  const [head, body] = message instanceof Frames ? [message.bytes] : framed(message)
  if (!body) {
    stream.write(head, onWritten)
    return
  }
  stream.cork()
  stream.write(head)
  stream.write(body, onWritten)
  stream.uncork()
}

/**
 * A call whose unread message is counted, and whose request must arrive in time: its stream would stay open for ever.
 * One message of a call is on its way at a time.
 */
export class MeasuredCall extends ServerInterceptingCall implements UnreadCall {
  readonly #unread: Unread
  readonly #call: ServerInterceptingCallInterface
  #peer: string | undefined
  #key = ''
  /** Of the message on its way, which may be empty; undefined while there is none. */
  #bytes: number | undefined
  #sentAtMs = 0
  #arrivalTimer: NodeJS.Timeout | undefined
  #hasHeaders = false
  #isOver = false
  readonly #isOnlyMessage: boolean

  constructor(
    call: ServerInterceptingCallInterface,
    unread: Unread,
    { isUnary, onLate }: MeasuredCallOptions,
  ) {
    super(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, nextMetadata) => {
            this.#key = unread.keyOf(this.getPeer(), forwardedFor(metadata))
            nextMetadata(metadata)
          },
          onReceiveMessage: (message, nextMessage) => {
            clearTimeout(this.#arrivalTimer)
            nextMessage(message)
          },
          onCancel: () => this.#end(),
        }),
    })
    nameErrors(call)
    this.#unread = unread
    this.#call = call
    this.#isOnlyMessage = isUnary
    if (onLate) {
      this.#arrivalTimer = setTimeout(() => onLate(this), REQUEST_TIMEOUT_MS)
      this.#arrivalTimer.unref()
    }
  }

  /** When the message that waits was sent, by performance.now(). */
  get sentAtMs(): number {
    return this.#sentAtMs
  }

  /** Asked for several times, and found by way of the socket each time. */
  override getPeer(): string {
    this.#peer ??= super.getPeer()
    return this.#peer
  }

  override sendStatus(status: Parameters<ServerInterceptingCallInterface['sendStatus']>[0]): void {
    clearTimeout(this.#arrivalTimer)
    super.sendStatus(status)
  }

  /** Past grpc-js, which copies each message and writes it by itself. */
  override sendMessage(message: Buffer | Frames, callback: () => void): void {
    // The transport drops what is sent after the end without calling back.
    if (this.#isOver) return
    if (!this.#hasHeaders) this.sendMetadata(NO_METADATA)
    const stream = this.#stream
    if (stream.destroyed || stream.closed) return
    this.#sent(sizeOf(message))
    const isOnly = this.#isOnlyMessage
    writeFramed(stream, message, (error) => {
      // A failed write ends the stream, and the call with it.
      if (error) return
      this.#taken()
      if (!isOnly) callback()
    })
    // The status of a single answer follows at once, so that all of it is one write to the socket.
    if (isOnly) callback()
  }

  override sendMetadata(metadata: Metadata): void {
    this.#hasHeaders = true
    super.sendMetadata(metadata)
  }

  /** Ends the stream with RST_STREAM: a status would wait behind the message that is not read. */
  reset(): void {
    this.#end()
    this.#stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  /** Not in the declarations of grpc-js, which has no other way to end a stream or to write frames at once. */
  get #stream(): ServerHttp2Stream {
    return (this.#call as unknown as { readonly stream: ServerHttp2Stream }).stream
  }

  #sent(bytes: number): void {
    this.#bytes = bytes
    this.#sentAtMs = performance.now()
    this.#unread.sent(this.#key, this, bytes)
  }

  #taken(): void {
    if (this.#bytes === undefined) return
    this.#unread.taken(this.#key, this, this.#bytes)
    this.#bytes = undefined
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#arrivalTimer)
    this.#taken()
  }
}
