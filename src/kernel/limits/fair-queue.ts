import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './client.ts'

/**
 * Requests of one client that are begun in one turn of the event loop. A client that sends without waiting for answers would
 * otherwise keep the thread for as long as a read from its connections takes to be answered: seconds.
 */
const MAX_BEGUN_PER_TURN = 16
/** Pipelined requests of one connection that wait for their turn. No published client pipelines this many. */
export const MAX_WAITING_PER_CONNECTION = 32

/** Begins requests in the order of their arrival, and those of a client with many of them in turn with others. */
export class FairQueue {
  /** How many requests of each client were begun in this turn. */
  readonly #begun = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #waitingOf = new WeakMap<Socket, number>()
  #isTurnPlanned = false

  /** Begins a request now or in a later turn. Returns false, and does neither, when its connection has too many waiting. */
  run(request: IncomingMessage, begin: () => void): boolean {
    const { socket } = request
    const client = networkOf(socket.remoteAddress)
    if ((this.#begun.get(client) ?? 0) < MAX_BEGUN_PER_TURN) {
      this.begin(client, begin)
      return true
    }
    const waiting = this.#waitingOf.get(socket) ?? 0
    if (waiting >= MAX_WAITING_PER_CONNECTION) return false
    this.#waitingOf.set(socket, waiting + 1)
    this.begin(client, () => {
      this.#waitingOf.set(socket, this.#waitingOf.get(socket)! - 1)
      // Nobody would read the answer.
      if (!socket.destroyed) begin()
    })
    return true
  }

  /** The same without a bound on waiting requests, which the caller has. `client`: the name of its network. */
  begin(client: string, begin: () => void): void {
    this.#planTurn()
    const begun = this.#begun.get(client) ?? 0
    if (begun < MAX_BEGUN_PER_TURN) {
      this.#begun.set(client, begun + 1)
      begin()
      return
    }
    const list = this.#waiting.get(client)
    if (list) list.push(begin)
    else this.#waiting.set(client, [begin])
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return
    this.#isTurnPlanned = true
    setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isTurnPlanned = false
    this.#begun.clear()
    if (this.#waiting.size === 0) return
    this.#planTurn()
    for (const [client, list] of this.#waiting) {
      const next = list.splice(0, MAX_BEGUN_PER_TURN)
      this.#begun.set(client, next.length)
      if (list.length === 0) this.#waiting.delete(client)
      for (const begin of next) begin()
    }
  }
}

/** All interfaces of a process share its thread. */
export const processQueue = new FairQueue()
