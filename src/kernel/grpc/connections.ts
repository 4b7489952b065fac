// The HTTP/2 connections: how long they may be silent, and when they are closed.

import { constants, performServerHandshake, type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { clientOf } from '../limits/client.ts'
import { countRequest } from '../limits/connections.ts'
import { FixedWindow } from '../limits/window.ts'

export type ConnectionBounds = {
  /** Time for the first call of a connection; its preface and its settings come before. */
  readonly firstCallMs: number
  /** A connection without a call for this long is closed. Clients open another one when they need it. */
  readonly idleMs: number
  readonly pingIntervalMs: number
  /** The event loop of a busy client can be late by seconds. */
  readonly pingTimeoutMs: number
  /** Calls of one client in `excessMs` that are too many, or given up as they are sent: then its connections are closed. */
  readonly excess: number
  /** And it gets no other one until this time is over. */
  readonly excessMs: number
}

const BOUNDS: ConnectionBounds = {
  firstCallMs: 20_000,
  idleMs: 300_000,
  pingIntervalMs: 30_000,
  pingTimeoutMs: 20_000,
  excess: 256,
  excessMs: 5_000,
}
/** Time in which a client that was told to go closes the connection. */
const FAREWELL_MS = 5_000

/** Open calls of one connection: clients queue the others. All of them may come in one packet, and are begun in one go. */
const MAX_STREAMS_PER_CONNECTION = 128
/** Headers of a call: as many as gRPC libraries take of an answer. */
const MAX_HEADER_BYTES = 8_192
/** MB that node:http2 may hold for one connection, mostly data waiting for slow readers. */
const MAX_CONNECTION_MEMORY_MB = 128

export type Connection = {
  readonly session: ServerHttp2Session
  readonly socket: Socket
  readonly address: string
  /** A trusted proxy carries the calls of many clients. */
  readonly isProxy: boolean
  calls: number
  /** When it is closed unless a call comes, by performance.now(). */
  dueAtMs: number
  pingedAtMs: number
  isPingAnswered: boolean
  isLeaving: boolean
}

export class Connections {
  readonly #bounds: ConnectionBounds
  readonly #isProxy: (address: string) => boolean
  readonly #open = new Set<Connection>()
  readonly #excess: FixedWindow

  constructor(isProxy: (address: string) => boolean, bounds: Partial<ConnectionBounds> = {}) {
    this.#isProxy = isProxy
    this.#bounds = { ...BOUNDS, ...bounds }
    this.#excess = new FixedWindow({ windowMs: this.#bounds.excessMs })
  }

  get size(): number {
    return this.#open.size
  }

  /** Begins HTTP/2 on a socket. Returns undefined when its client gets no connection now. */
  accept(socket: Socket): Connection | undefined {
    const address = socket.remoteAddress ?? 'unknown'
    const now = performance.now()
    socket.on('error', () => socket.destroy())
    if (this.#excess.check(clientOf(address), this.#bounds.excess, now)) {
      socket.destroy()
      return undefined
    }
    const session = performServerHandshake(socket, {
      settings: {
        maxConcurrentStreams: MAX_STREAMS_PER_CONNECTION,
        maxHeaderListSize: MAX_HEADER_BYTES,
      },
      maxSessionMemory: MAX_CONNECTION_MEMORY_MB,
    })
    const connection: Connection = {
      session,
      socket,
      address,
      isProxy: this.#isProxy(address),
      calls: 0,
      dueAtMs: now + this.#bounds.firstCallMs,
      pingedAtMs: now,
      isPingAnswered: true,
      isLeaving: false,
    }
    this.#open.add(connection)
    socket.on('close', () => this.#open.delete(connection))
    session.on('error', () => socket.destroy())
    return connection
  }

  opened(connection: Connection): void {
    connection.calls++
    connection.dueAtMs = Number.POSITIVE_INFINITY
    countRequest(connection.socket, 1)
  }

  closed(connection: Connection): void {
    connection.calls--
    if (connection.calls === 0) connection.dueAtMs = performance.now() + this.#bounds.idleMs
    countRequest(connection.socket, -1)
  }

  /** Counts a call in excess; closes the connection of a client with too many. */
  exceeded({ address, isProxy, session }: Connection): void {
    if (isProxy) return
    const { count } = this.#excess.consume(clientOf(address), performance.now())
    if (count < this.#bounds.excess) return
    session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  /** Closes connections that were silent for too long, and pings the others. To be called each second. */
  watch(): void {
    const now = performance.now()
    for (const connection of this.#open) {
      if (now >= connection.dueAtMs) this.#leave(connection, now)
      else this.#ping(connection, now)
    }
  }

  /** Tells all clients to go, and waits until they have, a limited time. */
  async close(waitMs: number): Promise<void> {
    const open = [...this.#open]
    const closed = open.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)))
    for (const { session } of open) session.close()
    const timer = setTimeout(() => {
      for (const { socket } of open) socket.destroy()
    }, waitMs)
    await Promise.all(closed)
    clearTimeout(timer)
  }

  #leave(connection: Connection, now: number): void {
    const { session, socket, isLeaving } = connection
    connection.isLeaving = true
    connection.dueAtMs = now + FAREWELL_MS
    if (isLeaving) socket.destroy()
    // It waits for calls that were on their way.
    else session.close()
  }

  #ping(connection: Connection, now: number): void {
    const { pingIntervalMs, pingTimeoutMs } = this.#bounds
    const { session, socket, pingedAtMs, isPingAnswered, isLeaving } = connection
    if (!isPingAnswered && now >= pingedAtMs + pingTimeoutMs) {
      socket.destroy()
    } else if (isPingAnswered && !isLeaving && now >= pingedAtMs + pingIntervalMs) {
      connection.pingedAtMs = now
      connection.isPingAnswered = false
      if (session.closed) return
      session.ping(() => {
        connection.isPingAnswered = true
      })
    }
  }
}
