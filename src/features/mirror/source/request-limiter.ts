import { setTimeout as delay } from 'node:timers/promises'

export type RequestLimits = {
  /** Requests a second; 0: any number. */
  readonly rate: number
  /** Requests that may be made without a pause after a time without any; 1 unless given. */
  readonly burst?: number
  /** Requests at a time, at most. */
  readonly concurrency: number
  /** Requests at a time in the beginning; 2 unless given. */
  readonly first?: number
  /** Milliseconds that only grow; the machine's unless given. */
  readonly now?: () => number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

const FIRST_CONCURRENCY = 2
/** Good answers after which one more request is made at a time. */
const ANSWERS_TO_GROW = 50

/** How many requests are made at a time and in a second: fewer when the source is overloaded. */
export class RequestLimiter {
  readonly #limits: Required<RequestLimits>
  #allowed: number
  #running = 0
  #good = 0
  #notBefore = 0
  /** When all requests until now would have been made at the rate. */
  #paid = 0
  readonly #waiting: (() => void)[] = []
  throttledMs = 0

  constructor(limits: RequestLimits) {
    this.#limits = {
      now: () => performance.now(),
      sleep: (ms, signal) => delay(ms, undefined, { signal }),
      first: FIRST_CONCURRENCY,
      burst: 1,
      ...limits,
    }
    this.#allowed = Math.min(this.#limits.first, limits.concurrency)
  }

  get allowed(): number {
    return this.#allowed
  }

  /** Resolves when a request may be made; the function is to be called when it has ended. */
  async begin(signal: AbortSignal): Promise<(how: 'answered' | 'overloaded') => void> {
    const { rate, burst, now, sleep } = this.#limits
    const each = rate > 0 ? 1_000 / rate : 0
    for (;;) {
      signal.throwIfAborted()
      const ms = Math.max(this.#notBefore, this.#paid - (burst - 1) * each) - now()
      if (ms > 0) {
        this.throttledMs += ms
        await sleep(ms, signal)
      } else if (this.#running < this.#allowed) break
      else await this.#turn(signal)
    }
    this.#paid = Math.max(now(), this.#paid) + each
    this.#running++
    return (how) => this.#end(how)
  }

  /** Resolves when a request has ended, and when the program stops: who waits then is never called otherwise. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    this.#waiting.push(wake)
    signal.addEventListener('abort', wake)
    await promise
    signal.removeEventListener('abort', wake)
  }

  /** No request is made for this long, and after it no more than the rate allows. */
  waitUntil(ms: number): void {
    const { rate, burst, now } = this.#limits
    this.#notBefore = Math.max(this.#notBefore, now() + ms)
    if (rate > 0) this.#paid = Math.max(this.#paid, this.#notBefore + ((burst - 1) * 1_000) / rate)
  }

  #end(how: 'answered' | 'overloaded'): void {
    this.#running--
    this.#good = how === 'answered' ? this.#good + 1 : 0
    if (how === 'overloaded') this.#allowed = Math.max(1, Math.floor(this.#allowed / 2))
    if (this.#good >= ANSWERS_TO_GROW) {
      this.#good = 0
      this.#allowed = Math.min(this.#limits.concurrency, this.#allowed + 1)
    }
    const free = Math.max(0, this.#allowed - this.#running)
    for (const wake of this.#waiting.splice(0, free)) wake()
  }
}
