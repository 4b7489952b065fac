// Bounds on concurrent use: streams, unread answers, expensive reads.

import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Semaphore } from '../base/concurrency.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MIB } from '../protocol/sizes.ts'
import { clientOf } from './client.ts'
import { UnreadBytes } from './unread.ts'

/** A bound on the bytes or streams that are in use, in all and by one client. */
export class ConcurrencyLimit {
  readonly #total: number
  readonly #perClient: number
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(bounds: { readonly total: number; readonly perClient: number }) {
    this.#total = bounds.total
    this.#perClient = bounds.perClient
  }

  /** Acquires `amount` for a client, or returns false and acquires nothing. */
  tryAcquire(client: string, amount = 1): boolean {
    const usedByClient = this.usedBy(client) + amount
    if (usedByClient > this.#perClient || this.#used + amount > this.#total) return false
    this.acquire(client, amount)
    return true
  }

  /** Acquires `amount` even beyond the bounds. */
  acquire(client: string, amount = 1): void {
    this.#usedBy.set(client, this.usedBy(client) + amount)
    this.#used += amount
  }

  release(client: string, amount = 1): void {
    const left = this.usedBy(client) - amount
    if (left > 0) this.#usedBy.set(client, left)
    else this.#usedBy.delete(client)
    this.#used -= amount
  }

  get used(): number {
    return this.#used
  }

  usedBy(client: string): number {
    return this.#usedBy.get(client) ?? 0
  }

  /** Whether a client has all that it may have. */
  isFull(client: string): boolean {
    return this.usedBy(client) >= this.#perClient
  }
}

/** Bytes of answers that clients have not read yet, over all interfaces of this process. */
export const processUnread = new UnreadBytes({ total: 128 * MIB, perClient: 16 * MIB })
/** Shorter answers fit into the buffers of a socket, which the bound on connections limits. */
const MIN_COUNTED_BYTES = 16 * 1024
/** A client that takes nothing of an answer for this long is gone. */
const STALL_TIMEOUT_MS = 30_000

/**
 * Counts the bytes of an answer that is about to be sent until it was taken, and ends the connection of a client that
 * takes nothing. Throws a Rejection when too many bytes wait for this client, or in all and most of them for it.
 */
export function countUnread(
  response: ServerResponse,
  address: string,
  bytes: number,
  unread: UnreadBytes = processUnread,
  stallTimeoutMs = STALL_TIMEOUT_MS,
): void {
  if (bytes < MIN_COUNTED_BYTES) return
  const client = clientOf(address)
  const answer = { reset: () => response.destroy() }
  if (!unread.tryAcquire(client, answer, bytes)) {
    const text = 'too many answers were not read yet'
    throw new Rejection('unavailable.overloaded', text, { retryAfterSeconds: 1 })
  }
  const { socket } = response
  response.once('close', () => unread.release(client, answer, bytes))
  // A request that was injected, without a connection, has another kind of socket.
  if (!(socket instanceof Socket)) return
  const end = () => socket.destroy()
  socket.setTimeout(stallTimeoutMs, end)
  response.once('close', () => socket.off('timeout', end).setTimeout(0))
}

const busy = () =>
  new Rejection('unavailable.overloaded', 'too many large reads are waiting', {
    retryAfterSeconds: 1,
  })

/** All interfaces of a process share its thread. Between expensive reads other requests are answered. */
const expensiveReads = new Semaphore({
  running: 4,
  runningPerClient: 2,
  queue: {
    waiting: 4_000,
    waitingPerClient: 1_000,
    timeoutMs: 15_000,
    clientError: busy,
    busyError: busy,
  },
})

/**
 * Reads of one part of a file. SQLite reads on the thread of the process, up to a millisecond for each; on PostgreSQL each
 * takes a connection. Every open answer waits for one at most.
 */
const fileReads = new Semaphore({
  running: 8,
  runningPerClient: 2,
  queue: {
    waiting: 2_000,
    waitingPerClient: 500,
    timeoutMs: 15_000,
    clientError: busy,
    busyError: busy,
  },
})

type Request = { readonly ip: string; readonly isConnected: boolean }

/** Runs an expensive read when fewer than the bounds run. Throws when the client has gone meanwhile. */
export const runExpensiveRead = <T>(request: Request, read: () => T | Promise<T>): Promise<T> =>
  runInTurn(expensiveReads, request, read)

/** Reads a part of a file when fewer than the bounds do. Throws when the client has gone meanwhile. */
export const runFileRead = <T>(request: Request, read: () => Promise<T>): Promise<T> =>
  runInTurn(fileReads, request, read)

const runInTurn = <T>(
  semaphore: Semaphore,
  request: Request,
  read: () => T | Promise<T>,
): Promise<T> =>
  semaphore.run(clientOf(request.ip), async () => {
    await nextTurn()
    if (!request.isConnected) throw new Rejection('unavailable', 'the client has gone')
    return read()
  })
