// The gRPC transport, on node:http2. Handlers receive and return bytes: nothing is decoded or encoded
// here. It does not depend on the hub.

import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { reachableHost } from '../base/reachable-host.ts'
import { type BodyMemory, processBodies } from '../limits/bodies.ts'
import {
  addressMatcher,
  type ForwardedAddresses,
  forwardedAddresses,
  readClient,
} from '../limits/client.ts'
import { processUnread } from '../limits/concurrency.ts'
import { type ConnectionLimit, limitConnections } from '../limits/connections.ts'
import { processQueue } from '../limits/fair-queue.ts'
import type { UnreadBytes } from '../limits/unread.ts'
import type { Rejection } from '../protocol/rejection.ts'
import { type CallEnd, HubCall } from './call.ts'
import { type ClientBounds, Clients } from './clients.ts'
import { type Connection, type ConnectionBounds, Connections } from './connections.ts'
import { SharedFrames } from './frames.ts'
import type { Call, Method } from './method.ts'
import { headersOfOther, protocolOf } from './protocol.ts'
import { notImplemented } from './status.ts'

/** A client that takes nothing of an answer for this long is gone, as over HTTP. */
const STALL_MS = 30_000
/** Longer than Subscribe waits before it ends a stream with a status, which a reader that goes on still gets. */
const STREAM_STALL_MS = 11 * 60_000
/** Interval of the checks for calls and connections that take too long. */
const WATCH_MS = 1_000
/** How long the shutdown waits for calls in flight. */
const CLOSE_WAIT_MS = 10_000
/** Longest name of a method that an error repeats. */
const MAX_NAME_LENGTH = 100

/** What metrics and the log call methods that do not exist: clients could make up any number of names. */
export const UNKNOWN_METHOD = 'unknown'

export type GrpcBounds = ClientBounds &
  ConnectionBounds & {
    readonly stallMs: number
    readonly streamStallMs: number
    readonly watchMs: number
  }

type GrpcServerOptions = {
  /** By path: `/HubService/GetCast`. */
  readonly methods: ReadonlyMap<string, Method>
  readonly trustedProxies: readonly string[]
  /** By default by the trusted proxies. */
  readonly addressOf?: ForwardedAddresses
  /** Origin of the pages that may call; all by default. */
  readonly corsOrigin?: string
  /** Charges any call before anything of it is read. Returns how it is refused when its client is in debt. */
  admit?(call: Call): (() => Promise<never>) | undefined
  /** Called when a call has ended; status 0 is success. */
  onEnd(method: string, status: number, milliseconds: number, rejection?: Rejection): void
  /** Called with errors that are faults of this server. */
  onFault(error: unknown, method: string): void
  readonly bounds?: Partial<GrpcBounds>
  /** Limits of the process by default, shared with HTTP. */
  readonly bodies?: BodyMemory
  readonly unread?: UnreadBytes
  readonly connections?: ConnectionLimit
}

const INTERNAL = 13

export class GrpcServer {
  readonly #options: GrpcServerOptions
  readonly #clients: Clients
  readonly #connections: Connections
  readonly #calls = new Set<HubCall>()
  readonly #frames = new SharedFrames()
  readonly #addressOf: ForwardedAddresses
  readonly #tcp = createTcpServer()
  #watch: NodeJS.Timeout | undefined

  constructor(options: GrpcServerOptions) {
    const { trustedProxies, unread = processUnread, connections, bounds } = options
    this.#options = options
    this.#clients = new Clients(unread, bounds)
    this.#connections = new Connections(addressMatcher(trustedProxies), bounds)
    this.#addressOf = options.addressOf ?? forwardedAddresses({ trustedProxies })
    limitConnections(this.#tcp, {
      limit: connections,
      trustedProxies,
      refuse: (socket) => socket.destroy(),
    })
    this.#tcp.on('connection', (socket) => this.#accept(socket))
  }

  get connections(): number {
    return this.#connections.size
  }

  /** Bytes that clients have not read yet. */
  get unreadBytes(): number {
    return this.#clients.unreadBytes
  }

  /** Calls with an answer that was not read yet. */
  get unreadCalls(): number {
    return this.#clients.unreadCalls
  }

  /** Resolves with `host:port`; port 0 picks a free one. */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#tcp.once('error', reject)
      this.#tcp.listen(port, host, resolve)
    })
    this.#watch = setInterval(() => this.#watchAll(), this.#options.bounds?.watchMs ?? WATCH_MS)
    this.#watch.unref()
    const address = this.#tcp.address()
    if (address === null || typeof address === 'string') throw new TypeError('no TCP address')
    return `${reachableHost(host)}:${address.port}`
  }

  /** Accepts no more calls and waits a limited time for those in flight. */
  async close(): Promise<void> {
    this.#tcp.close()
    await this.#connections.close(CLOSE_WAIT_MS)
    clearInterval(this.#watch)
  }

  #accept(socket: Socket): void {
    if (socket.destroyed) return
    const connection = this.#connections.accept(socket)
    connection?.session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) =>
      this.#begin(connection, stream, headers),
    )
  }

  /** Everything that a client sends is counted and charged here, before anything of it is read. */
  #begin(connection: Connection, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const forwardedFor = headers['x-forwarded-for'] as string | undefined
    const address = this.#addressOf(connection.address, forwardedFor)
    const client = this.#clients.open(address)
    if (!client) {
      stream.on('error', () => {})
      stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      this.#connections.exceeded(connection)
      return
    }
    const path = headers[':path'] ?? ''
    const name = path.slice(path.lastIndexOf('/') + 1)
    const method = this.#options.methods.get(path)
    const protocol = protocolOf(headers)
    const { corsOrigin = '*', bodies = processBodies, bounds = {} } = this.#options
    this.#connections.opened(connection)
    let hasBegun = false
    const call = new HubCall(method ? name : UNKNOWN_METHOD, stream, headers, {
      protocol: protocol ?? 'grpc',
      corsOrigin,
      peer: connection.address,
      client,
      clients: this.#clients,
      bodies,
      owner: readClient(address),
      frames: this.#frames,
      stallMs: bounds.stallMs ?? STALL_MS,
      streamStallMs: bounds.streamStallMs ?? STREAM_STALL_MS,
      ended: (call, how) => this.#ended(call, how),
      closed: (call) => {
        this.#calls.delete(call)
        this.#clients.close(client)
        this.#connections.closed(connection)
        // Given up before its turn.
        if (!hasBegun) this.#connections.exceeded(connection)
      },
    })
    this.#calls.add(call)
    processQueue.begin(client.network, stream, () => {
      hasBegun = !call.isCancelled()
      const refuse = this.#options.admit?.(call)
      if (refuse) this.#refuseLate(connection, call, refuse)
      else if (!protocol) call.answer(headersOfOther(headers, corsOrigin))
      else if (method) call.begin(method)
      else call.refuse(notImplemented(name.slice(0, MAX_NAME_LENGTH)))
    })
  }

  #refuseLate(connection: Connection, call: HubCall, refuse: () => Promise<never>): void {
    const { client } = call
    if (!this.#clients.refuseLate(client)) {
      call.reset()
      this.#connections.exceeded(connection)
      return
    }
    call.discard()
    refuse()
      .catch((error) => call.refuse(error))
      .finally(() => this.#clients.refused(client))
  }

  #ended({ method }: HubCall, { status, error, ms }: CallEnd): void {
    this.#options.onEnd(method, status?.code ?? 0, ms, status?.rejection)
    if (status?.code === INTERNAL && error !== undefined && status.rejection !== error) {
      this.#options.onFault(error, method)
    }
  }

  #watchAll(): void {
    const now = performance.now()
    for (const call of this.#calls) if (now >= call.dueAtMs) call.expire()
    this.#clients.wake()
    this.#connections.watch()
  }
}
