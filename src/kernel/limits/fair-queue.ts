import type { Socket } from 'node:net'
import { networkOf } from './client.ts'

/**
 * For how long requests are begun in one turn of the event loop. What arrives meanwhile waits for the next turn, and of new
 * connections each turn accepts one.
 */
export const TURN_MS = 4
/**
 * Requests that a turn begins in any case, because on a busy machine its time may have passed without any work. They are begun
 * together: pages whose rows are read one right after the other, and then written, take a fifth less of the processor.
 */
export const LEAST_PER_TURN = 8
/** Pipelined requests of one connection that wait for their turn. No published client pipelines this many. */
export const MAX_WAITING_PER_CONNECTION = 32
/** A client that was not served while so many others were comes next, in the order of arrival. */
export const REMEMBERED = 1_024
const SETTLED = Promise.resolve()
/** The last requests, of which it is known how long they waited. */
const SAMPLED_WAITS = 256
/** Requests of one client that wait before those whose clients have gone are looked for: then again when twice as many are left. */
const FIRST_SWEEP = 64

/** The connection or stream of a request. Once it is destroyed nobody would read the answer. */
type Asker = { readonly destroyed: boolean }

type Waiting = {
  readonly begin: () => void
  readonly asker: Asker
  readonly arrivedMs: number
}

/** The waiting requests of one client. */
type Line = {
  readonly client: string
  /** When the client was served last, as the number of its request. */
  servedAt: number
  /** When it came here, or one of its requests was begun last. */
  sinceMs: number
  requests: Waiting[]
  /** How many wait when those that have gone are removed. */
  sweepAt: number
}

/**
 * Begins requests: at once while there is time, else in later turns, and then first those of the client that was served
 * least recently. So a client with few requests does not wait for those of clients with many.
 */
export class FairQueue {
  readonly #nowMs: () => number
  /** The line that is served next comes first. */
  readonly #lines: Line[] = []
  readonly #lineOf = new Map<string, Line>()
  /** Of connections. */
  readonly #waitingOf = new WeakMap<Asker, number>()
  /** Clients by the numbers of their last requests, the oldest first. */
  readonly #servedAt = new Map<string, number>()
  #served = 0
  readonly #waits = new Float64Array(SAMPLED_WAITS)
  #waited = 0
  #isTurnPlanned = false
  #turnBeganMs = 0
  #begunInTurn = 0
  #hasNewConnection = false

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /**
   * Begins a request now or in a later turn. Returns false, and does neither, when its connection has too many waiting.
   * `address` is that of the client.
   */
  run(socket: Socket, address: string | undefined, begin: () => void): boolean {
    const client = networkOf(address)
    if (this.#mayBegin()) {
      this.#beginNow(client, begin)
      return true
    }
    const waiting = this.waitingOf(socket)
    if (waiting >= MAX_WAITING_PER_CONNECTION) return false
    this.#waitingOf.set(socket, waiting + 1)
    this.#wait(client, begin, socket)
    return true
  }

  /**
   * The same without a bound on waiting requests, which the caller has. `client`: the name of its network. It is not begun
   * when `asker` has gone meanwhile.
   */
  begin(client: string, asker: Asker, begin: () => void): void {
    if (this.#mayBegin()) this.#beginNow(client, begin)
    else this.#wait(client, begin, asker)
  }

  /** Requests of a connection that wait: it is not idle. */
  waitingOf(socket: Socket): number {
    return this.#waitingOf.get(socket) ?? 0
  }

  /**
   * Ends this turn with the next request: a connection was accepted, others may wait, and each turn accepts one. Otherwise the
   * first request of somebody who comes to a busy server would wait for as many whole turns as there are connections before.
   */
  connected(): void {
    this.#hasNewConnection = true
    this.#planTurn()
  }

  /**
   * How long clients have waited here for their next request since this was last asked: half of them longer. That a client waits
   * for its own requests tells nothing of the server.
   */
  takeMedianWaitMs(): number {
    const waits = this.#waits.subarray(0, this.#waited).sort()
    this.#waited = 0
    return waits[waits.length >> 1] ?? 0
  }

  /** Number of clients in memory. */
  get size(): number {
    return Math.max(this.#servedAt.size, this.#lines.length)
  }

  /** Number of waiting requests in memory. */
  get waiting(): number {
    return this.#lines.reduce((sum, { requests }) => sum + requests.length, 0)
  }

  #mayBegin(): boolean {
    if (this.#lines.length > 0 || this.#hasNewConnection) return false
    return !this.#isTurnPlanned || !this.#isOver()
  }

  #isOver(): boolean {
    return this.#begunInTurn >= LEAST_PER_TURN && this.#nowMs() - this.#turnBeganMs >= TURN_MS
  }

  #beginNow(client: string, begin: () => void): void {
    this.#planTurn()
    this.#note(client)
    this.#noteWait(0)
    begin()
  }

  #wait(client: string, begin: () => void, asker: Asker): void {
    this.#planTurn()
    const arrivedMs = this.#nowMs()
    const request = { begin, asker, arrivedMs }
    const line = this.#lineOf.get(client)
    if (line) {
      if (line.requests.length >= line.sweepAt) sweep(line)
      line.requests.push(request)
      return
    }
    const servedAt = Math.max(this.#servedAt.get(client) ?? 0, this.#served - REMEMBERED)
    const terms = { servedAt, sinceMs: arrivedMs, sweepAt: FIRST_SWEEP }
    this.#insert({ client, ...terms, requests: [request] })
  }

  #insert(line: Line): void {
    this.#lineOf.set(line.client, line)
    let at = this.#lines.length
    while (at > 0 && this.#lines[at - 1]!.servedAt > line.servedAt) at--
    this.#lines.splice(at, 0, line)
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return
    this.#isTurnPlanned = true
    this.#turnBeganMs = this.#nowMs()
    this.#begunInTurn = 0
    setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isTurnPlanned = false
    if (this.#lines.length > 0) this.#planTurn()
    this.#beginNext()
  }

  /** Some together, and further ones when what those do at once is done: what it takes is seen then. */
  readonly #beginNext = (): void => {
    const most = this.#hasNewConnection ? 1 : LEAST_PER_TURN
    for (let n = 0; n < most && this.#lines.length > 0; n++) this.#beginOne()
    // A tick that is asked for in a microtask comes when no microtask is left.
    void SETTLED.then(this.#askForTick)
  }

  #beginOne(): void {
    for (let line = this.#lines.shift(); line; line = this.#lines.shift()) {
      this.#lineOf.delete(line.client)
      const request = this.#takeFirst(line)
      if (!request) continue
      this.#beginOf(line, request)
      return
    }
  }

  /** The first request that somebody waits for. */
  #takeFirst({ requests }: Line): Waiting | undefined {
    for (let request = requests.shift(); request; request = requests.shift()) {
      const { asker } = request
      const waiting = this.#waitingOf.get(asker)
      if (waiting !== undefined) this.#waitingOf.set(asker, waiting - 1)
      if (!asker.destroyed) return request
    }
    return undefined
  }

  #beginOf(line: Line, { begin, arrivedMs }: Waiting): void {
    const now = this.#nowMs()
    this.#noteWait(now - Math.max(line.sinceMs, arrivedMs))
    this.#note(line.client)
    if (line.requests.length > 0) {
      line.servedAt = this.#served
      line.sinceMs = now
      this.#insert(line)
    }
    begin()
  }

  readonly #askForTick = (): void => process.nextTick(this.#afterOne)

  readonly #afterOne = (): void => {
    const goesOn = this.#lines.length > 0 && !this.#hasNewConnection && !this.#isOver()
    this.#hasNewConnection = false
    if (goesOn) this.#beginNext()
  }

  #note(client: string): void {
    this.#begunInTurn++
    this.#served++
    this.#servedAt.delete(client)
    this.#servedAt.set(client, this.#served)
    const [oldest] = this.#servedAt
    if (oldest && oldest[1] < this.#served - REMEMBERED) this.#servedAt.delete(oldest[0])
  }

  #noteWait(ms: number): void {
    this.#waits[this.#waited++ % SAMPLED_WAITS] = ms
  }
}

/** Clients may close connections, and open others, faster than their requests are begun. */
function sweep(line: Line): void {
  line.requests = line.requests.filter(({ asker }) => !asker.destroyed)
  line.sweepAt = Math.max(FIRST_SWEEP, 2 * line.requests.length)
}

/** All interfaces of a process share its thread. */
export const processQueue = new FairQueue()
