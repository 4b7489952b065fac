// The HTTP/2 connections: how long they may be silent, and when they are closed.

import { constants, performServerHandshake, type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { clientOf } from '../http/client-budget.ts'
import { countRequest } from '../http/connections.ts'

export type ConnectionBounds = {
  /** Time for the first call of a connection; its preface and its settings come before. */
  readonly firstCallMs: number
  /** A connection without a call for this long is closed. Clients open another one when they need it. */
  readonly idleMs: number
  readonly pingIntervalMs: number
  /** The event loop of a busy client can be late by seconds. */
  readonly pingTimeoutMs: number
  /** Streams of a connection that are reset because its client has too many, or is in debt, before it is closed. */
  readonly resets: number
  /** How long the client of a connection that was closed for this gets no other one. */
  readonly barMs: number
}

const BOUNDS: ConnectionBounds = {
  firstCallMs: 20_000,
  idleMs: 300_000,
  pingIntervalMs: 30_000,
  pingTimeoutMs: 20_000,
  resets: 256,
  barMs: 5_000,
}
/** Time in which a client that was told to go closes the connection. */
const FAREWELL_MS = 5_000
/** Clients without connections that are remembered. */
const MAX_BARRED = 10_000

const MAX_STREAMS_PER_CONNECTION = 1_024
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
  resets: number
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
  /** Until when, by client. */
  readonly #barred = new Map<string, number>()

  constructor(isProxy: (address: string) => boolean, bounds: Partial<ConnectionBounds> = {}) {
    this.#isProxy = isProxy
    this.#bounds = { ...BOUNDS, ...bounds }
  }

  get size(): number {
    return this.#open.size
  }

  /** Begins HTTP/2 on a socket. Returns undefined when its client gets no connection now. */
  accept(socket: Socket): Connection | undefined {
    const address = socket.remoteAddress ?? 'unknown'
    const now = performance.now()
    socket.on('error', () => socket.destroy())
    if ((this.#barred.get(clientOf(address)) ?? 0) > now) {
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
      resets: 0,
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

  /** Counts a stream that was reset; closes a connection that goes on. */
  reset(connection: Connection): void {
    connection.resets++
    if (connection.isProxy || connection.resets < this.#bounds.resets) return
    connection.session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    if (this.#barred.size >= MAX_BARRED) this.#barred.clear()
    this.#barred.set(clientOf(connection.address), performance.now() + this.#bounds.barMs)
  }

  /** Closes what was silent for too long, and asks the others whether they are there. To be called each second. */
  watch(): void {
    const now = performance.now()
    for (const connection of this.#open) {
      if (now >= connection.dueAtMs) this.#leave(connection, now)
      else this.#ping(connection, now)
    }
    for (const [client, untilMs] of this.#barred) if (now >= untilMs) this.#barred.delete(client)
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
