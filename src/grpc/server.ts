// The gRPC transport, on grpc-js. Handlers receive and return bytes: nothing is decoded or encoded
// here. It does not depend on the hub, so that it can be replaced by another transport.

import { createServer as createTcpServer, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import {
  logVerbosity,
  Metadata,
  Server,
  ServerCredentials,
  status as Status,
  setLogVerbosity,
} from '@grpc/grpc-js'
import { limitConnections } from '../http/connections.ts'
import { Rejection } from '../protocol/rejection.ts'
import { clientAddresses } from './client-address.ts'
import { MAX_COPIED_BYTES, SharedFrames } from './frames.ts'
import type { Call, Method, ReadHandler, StreamCall, UnaryHandler } from './method.ts'
import { interceptCalls, type PlainMethod } from './plain-calls.ts'
import { statusOf, tookTooLong } from './status.ts'
import { forwardedFor, MeasuredCall, sizeOf, Unread, type UnreadBounds } from './unread.ts'

/** The longest request that is accepted; the published clients have the same limit for replies. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024
/**
 * Requests up to this length are read and refused with our error code; the transport refuses longer
 * ones.
 */
const MAX_READ_BYTES = MAX_REQUEST_BYTES + 64 * 1024
const PING_INTERVAL_MS = 30_000
/** The event loop of a busy client can be late by seconds. */
const PING_TIMEOUT_MS = 20_000
const MAX_STREAMS_PER_CONNECTION = 1_024
/** MB that node:http2 may hold for one connection, mostly data waiting for slow readers. */
const MAX_CONNECTION_MEMORY_MB = 128
/** Bytes of a stream that wait for its reader before the next messages are made. */
const MAX_WAITING_BYTES = 32 * 1024
/** What a message costs besides its bytes. */
const MESSAGE_OVERHEAD_BYTES = 64
/** How long the shutdown waits for calls in flight. */
const CLOSE_WAIT_MS = 10_000

type GrpcServerOptions = {
  /** By path: `/HubService/GetCast`. */
  readonly methods: ReadonlyMap<string, Method>
  /** Answers calls of all other paths. It is named by `UNKNOWN_METHOD`, whatever they are. */
  readonly unknown: (path: string) => Method
  readonly trustedProxies: readonly string[]
  readonly unread?: Partial<UnreadBounds>
  /** Called when a call has ended. */
  onEnd(method: string, status: number, milliseconds: number, rejection?: Rejection): void
  /** Called with errors that are faults of this server. */
  onFault(error: unknown, method: string): void
}

type GrpcServer = {
  /** Resolves with `host:port`; port 0 picks a free one. */
  listen(host: string, port: number): Promise<string>
  readonly connections: () => number
  /** Bytes that clients have not read yet. */
  readonly unreadBytes: () => number
  /** Calls with an answer that was not read yet. */
  readonly unreadCalls: () => number
  /** Accepts no more calls and waits a limited time for those in flight. */
  close(): Promise<void>
}

export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  // By default it writes a line for each header that it cannot read: as many as a client likes.
  setLogVerbosity(logVerbosity.NONE)
  const unread = new Unread(clientAddresses(options.trustedProxies), options.unread)
  const server = new Server({
    'grpc.enable_channelz': 0,
    'grpc.max_receive_message_length': MAX_READ_BYTES,
    'grpc.max_concurrent_streams': MAX_STREAMS_PER_CONNECTION,
    'grpc.keepalive_time_ms': PING_INTERVAL_MS,
    'grpc.keepalive_timeout_ms': PING_TIMEOUT_MS,
    'grpc-node.max_session_memory': MAX_CONNECTION_MEMORY_MB,
    interceptors: [
      ({ requestStream, responseStream }, call) =>
        new MeasuredCall(call, unread, {
          isUnary: !requestStream && !responseStream,
          onLate: requestStream ? undefined : refuseLateRequest,
        }),
    ],
  })
  const registering = { ...options, unread, frames: new SharedFrames() }
  for (const [path, method] of options.methods) {
    server.register(path, ...handlerOf(nameOf(path), method, registering))
  }
  handleUnknown(server, (path) => handlerOf(UNKNOWN_METHOD, options.unknown(path), registering))
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  interceptCalls(server, plainMethods(options), unread)
  const sockets = new Set<Socket>()
  const tcp = createTcpServer()
  limitConnections(tcp, {
    trustedProxies: options.trustedProxies,
    refuse: (socket) => socket.destroy(),
  })
  tcp.on('connection', (socket) => {
    if (socket.destroyed) return
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    injector.injectConnection(socket)
  })
  return {
    connections: () => sockets.size,
    unreadBytes: () => unread.bytes,
    unreadCalls: () => unread.calls,
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        tcp.once('error', reject)
        tcp.listen(port, host, resolve)
      })
      const address = tcp.address()
      if (address === null || typeof address === 'string') throw new TypeError('no TCP address')
      return `${host.includes(':') ? `[${host}]` : host}:${address.port}`
    },
    async close() {
      tcp.close()
      const open = [...sockets]
      const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      // It keeps the whole server for that time.
      if (open.length > 0) injector.drain(CLOSE_WAIT_MS)
      const timer = setTimeout(() => {
        for (const socket of open) socket.destroy()
      }, CLOSE_WAIT_MS + 1_000)
      await Promise.all(closed)
      clearTimeout(timer)
      unread.close()
      server.forceShutdown()
    },
  }
}

function refuseLateRequest(call: MeasuredCall): void {
  call.sendStatus(toGrpc(statusOf(tookTooLong())))
}

const plainMethods = (options: GrpcServerOptions): Map<string, PlainMethod> =>
  new Map(
    [...options.methods].flatMap(([path, { kind, handle }]) => {
      if (kind !== 'read') return []
      const name = nameOf(path)
      return [[path, { name, handle, ended: noteEnds(name, options) }]]
    }),
  )

/** What grpc-js gives handlers, as far as it is used here. */
type GrpcCall = {
  readonly cancelled: boolean
  readonly metadata: Metadata
  getPeer(): string
  on(event: 'cancelled', listener: () => void): unknown
}
type GrpcStream = GrpcCall &
  NodeJS.WritableStream &
  NodeJS.EventEmitter & { sendMetadata(metadata: Metadata): void }

const identity = (bytes: Buffer): Buffer => bytes
const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

type RegisterOptions = Pick<GrpcServerOptions, 'onEnd' | 'onFault'> & {
  readonly unread: Unread
  readonly frames: SharedFrames
}

/** What metrics and the log call methods that do not exist: clients could make up any number of names. */
export const UNKNOWN_METHOD = 'unknown'

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

type HandlerType = 'unary' | 'serverStream' | 'bidi'
// biome-ignore lint/suspicious/noExplicitAny: grpc-js declares one handler type for each kind of call
type GrpcHandler = [handler: any, typeof identity, typeof identity, HandlerType]

/** What grpc-js looks for by its path. */
type FoundHandler = {
  readonly path: string
  readonly func: GrpcHandler[0]
  readonly deserialize: typeof identity
  readonly serialize: typeof identity
  readonly type: HandlerType
}

/** Not in the declarations of grpc-js, which answers calls of other paths without the trailers that clients read. */
function handleUnknown(server: Server, handlerOf: (path: string) => GrpcHandler): void {
  const lookUp = server as unknown as { _retrieveHandler(path: string): FoundHandler | null }
  const retrieve = lookUp._retrieveHandler.bind(server)
  lookUp._retrieveHandler = (path) => {
    const known = retrieve(path)
    if (known) return known
    const [func, deserialize, serialize, type] = handlerOf(path)
    return { path, func, deserialize, serialize, type }
  }
}

/** Tells metrics and the log of the ends of calls of a method. Returns the status of a failure. */
const noteEnds =
  (name: string, options: Pick<GrpcServerOptions, 'onEnd' | 'onFault'>) =>
  (error: unknown, startedAt: number) => {
    const status = error === undefined ? undefined : statusOf(error)
    const milliseconds = performance.now() - startedAt
    options.onEnd(name, status?.code ?? Status.OK, milliseconds, status?.rejection)
    if (status && status.rejection !== error && status.code === Status.INTERNAL) {
      options.onFault(error, name)
    }
    return status
  }

/** The arguments of `Server.register`. */
function handlerOf(name: string, method: Method, options: RegisterOptions): GrpcHandler {
  const ended = noteEnds(name, options)
  const handlerFor = (handler: GrpcHandler[0], type: HandlerType): GrpcHandler => [
    handler,
    identity,
    identity,
    type,
  ]

  if (method.kind === 'unary' || method.kind === 'read') {
    type Reply = (error: object | null, bytes?: Buffer, trailers?: Metadata) => void
    return handlerFor((grpc: GrpcCall & { request: Buffer }, reply: Reply) => {
      const startedAt = performance.now()
      const client = options.unread.keyOf(grpc.getPeer(), forwardedFor(grpc.metadata))
      const call = callOf(name, grpc)
      const handled = options.unread.handle(client, async () => {
        // It may have waited for the client to read.
        if (call.isCancelled()) throw new Rejection('unavailable', 'the call was cancelled')
        return answer(method.handle, grpc.request, call)
      })
      handled.then(
        (result) => {
          ended(undefined, startedAt)
          if (result instanceof Uint8Array) return reply(null, asBuffer(result))
          reply(null, asBuffer(result.bytes), metadataOf(result.trailers))
        },
        (error) => reply(toGrpc(ended(error, startedAt)!)),
      )
    }, 'unary')
  }

  const run = (stream: GrpcStream, handle: (call: StreamCall) => Promise<void>) => {
    const startedAt = performance.now()
    const call = streamCallOf(name, stream, options.frames)
    handle(call).then(
      () => {
        ended(undefined, startedAt)
        stream.end()
      },
      (error) => {
        // The client cancelled the call, so there is no receiver for the status.
        const status = call.isCancelled() ? undefined : ended(error, startedAt)
        if (status) stream.emit('error', toGrpc(status))
        else stream.end()
      },
    )
  }
  if (method.kind === 'serverStream') {
    return handlerFor((stream: GrpcStream & { request: Buffer }) => {
      run(stream, async (call) => method.handle(checkedSize(stream.request), call))
    }, 'serverStream')
  }
  return handlerFor((stream: GrpcStream & Readable) => {
    // The default iterator would destroy the stream, and with it the answers, at the end of the requests.
    const requests = stream.iterator({ destroyOnReturn: false })
    run(stream, async (call) => method.handle(checkedSizes(requests), call))
  }, 'bidi')
}

async function answer(handle: UnaryHandler | ReadHandler, request: Buffer, call: Call) {
  return handle(checkedSize(request), call)
}

function checkedSize(request: Buffer): Buffer {
  if (request.length <= MAX_REQUEST_BYTES) return request
  throw new Rejection(
    'bad_request.too_large',
    `the message has ${request.length} bytes; at most ${MAX_REQUEST_BYTES} are taken`,
  )
}

async function* checkedSizes(requests: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const request of requests) yield checkedSize(request)
}

function toGrpc({ code, details, trailers }: ReturnType<typeof statusOf>) {
  return { code, details, metadata: metadataOf(trailers) }
}

function metadataOf(values: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(values)) metadata.set(name, value)
  return metadata
}

function callOf(method: string, grpc: GrpcCall): Call {
  return {
    method,
    get peer() {
      return addressOf(grpc.getPeer())
    },
    header: (name) => {
      const values = grpc.metadata.get(name)
      return values.length > 0 ? values.map(String).join(',') : undefined
    },
    isCancelled: () => grpc.cancelled,
  }
}

/** The address of `address:port`, IPv6 without brackets. */
const addressOf = (peer: string): string => {
  const colon = peer.lastIndexOf(':')
  return colon < 0 ? peer : peer.slice(0, colon)
}

function streamCallOf(method: string, stream: GrpcStream, frames: SharedFrames): StreamCall {
  const aborted = new AbortController()
  let hasHeaders = false
  let waitingBytes = 0
  let drained = Promise.withResolvers<void>()
  const sendHeaders = (headers: Readonly<Record<string, string>> = {}) => {
    hasHeaders = true
    stream.sendMetadata(metadataOf(headers))
  }
  stream.on('cancelled', () => {
    aborted.abort()
    // Writes to a stream that is gone are dropped without calling back.
    drained.resolve()
  })
  return {
    ...callOf(method, stream),
    isCancelled: () => aborted.signal.aborted,
    get peer() {
      return addressOf(stream.getPeer())
    },
    signal: aborted.signal,
    sendHeaders,
    write(messages) {
      const [first] = messages
      const isLarge = messages.length === 1 && first!.length > MAX_COPIED_BYTES
      const message = isLarge ? asBuffer(first!) : frames.of(messages)
      if (!hasHeaders) sendHeaders()
      const bytes = sizeOf(message) + MESSAGE_OVERHEAD_BYTES
      waitingBytes += bytes
      stream.write(message as never, () => {
        waitingBytes -= bytes
        if (waitingBytes === 0) drained.resolve()
      })
      if (waitingBytes < MAX_WAITING_BYTES || aborted.signal.aborted) return undefined
      drained = Promise.withResolvers()
      return drained.promise
    },
  }
}
