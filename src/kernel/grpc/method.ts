// What a method of the interface is, whatever carries it.

/** The longest request that is accepted; the published clients have the same limit for replies. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024

/** What a handler can see of its call. */
export type Call = {
  readonly method: string
  /** The address of the other end of the connection. */
  readonly peer: string
  header(name: string): string | undefined
  /** Whether the client has cancelled the call. */
  isCancelled(): boolean
}

export type StreamCall = Call & {
  /** Aborted when the client goes away or its deadline runs out. */
  readonly signal: AbortSignal
  /** Sends headers ahead of the first message. */
  sendHeaders(headers?: Readonly<Record<string, string>>): void
  /**
   * Writes messages, at least one, at once. Returns a promise when the reader is slow: it resolves when
   * the next ones may be written.
   */
  write(messages: readonly Uint8Array[]): Promise<void> | undefined
}

/** The same call with another way to write. */
export const withWrite = (call: StreamCall, write: StreamCall['write']): StreamCall => ({
  method: call.method,
  signal: call.signal,
  get peer() {
    return call.peer
  },
  header: (name) => call.header(name),
  isCancelled: () => call.isCancelled(),
  sendHeaders: (headers) => call.sendHeaders(headers),
  write,
})

/** An answer with trailers. */
export type Answer = {
  readonly bytes: Uint8Array
  readonly trailers: Readonly<Record<string, string>>
}

/** A handler of one request. What it throws becomes the status. */
export type UnaryHandler = (
  request: Uint8Array,
  call: Call,
) => Promise<Uint8Array | Answer> | Uint8Array | Answer
export type ServerStreamHandler = (request: Uint8Array, call: StreamCall) => Promise<void>
export type DuplexHandler = (requests: AsyncIterable<Uint8Array>, call: StreamCall) => Promise<void>

export type Method = {
  /** Longer requests are refused before they have arrived; MAX_REQUEST_BYTES by default. */
  readonly maxRequestBytes?: number
  /** Throws a Rejection for a call without the credentials of the method, before its request is read. */
  readonly admit?: (call: Call) => void
  /** Whether each answer is much shorter than a page: then any number of calls is handled at a time. */
  readonly isShort?: boolean
} & (
  | { readonly kind: 'unary'; readonly handle: UnaryHandler }
  | { readonly kind: 'serverStream'; readonly handle: ServerStreamHandler }
  | { readonly kind: 'duplex'; readonly handle: DuplexHandler }
)
