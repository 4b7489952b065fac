// Bounds on concurrent use: streams, unread answers, expensive reads.

import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Semaphore } from '../base/concurrency.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MIB } from '../protocol/sizes.ts'
import { type Counted, networkOf, readClient } from './client.ts'
import { UnreadBytes } from './unread.ts'

/** What one site may have in use, as a multiple of what one client may: a home of four networks is not held back by itself. */
export const CLIENTS_PER_NETWORK = 4

/** A bound on the streams or works that are in use: in all, by one client, and by one network, whose /64 are not many clients. */
export class ConcurrencyLimit {
  readonly #total: number
  readonly #perClient: number
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(bounds: { readonly total: number; readonly perClient: number }) {
    this.#total = bounds.total
    this.#perClient = bounds.perClient
  }

  /** Acquires one for a client, or returns false and acquires nothing. */
  tryAcquire(client: Counted): boolean {
    if (this.isFull(client) || this.#used >= this.#total) return false
    this.acquire(client)
    return true
  }

  /** Acquires one even beyond the bounds. */
  acquire(client: Counted): void {
    this.#change(client, 1)
  }

  release(client: Counted): void {
    this.#change(client, -1)
  }

  get used(): number {
    return this.#used
  }

  /** Whether a client or its network has all that it may have. */
  isFull({ name, network }: Counted): boolean {
    const ofNetwork = this.#usedBy.get(`network/${network}`) ?? 0
    return (
      (this.#usedBy.get(`client/${name}`) ?? 0) >= this.#perClient ||
      ofNetwork >= this.#perClient * CLIENTS_PER_NETWORK
    )
  }

  #change({ name, network }: Counted, by: number): void {
    this.#used += by
    for (const key of [`client/${name}`, `network/${network}`]) {
      const used = (this.#usedBy.get(key) ?? 0) + by
      if (used > 0) this.#usedBy.set(key, used)
      else this.#usedBy.delete(key)
    }
  }
}

/** Bytes of answers that clients have not read yet, over all interfaces of this process. */
export const processUnread = new UnreadBytes({ total: 128 * MIB, perClient: 16 * MIB })
/** Shorter answers fit into the buffers of a socket, which the bound on connections limits. */
const MIN_COUNTED_BYTES = 16 * 1024
/** A client that takes nothing of an answer for this long is gone. */
const STALL_TIMEOUT_MS = 30_000

export const tooManyUnread = () =>
  new Rejection('unavailable.overloaded', 'too many answers were not read yet', {
    retryAfterSeconds: 1,
  })

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
  const client = readClient(address)
  const answer = { reset: () => response.destroy() }
  if (!unread.tryAcquire(client, answer, bytes)) throw tooManyUnread()
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
  semaphore.run(networkOf(request.ip), async () => {
    await nextTurn()
    if (!request.isConnected) throw new Rejection('unavailable', 'the client has gone')
    return read()
  })
