export type TurnBounds = {
  /** How many run at once. */
  readonly running: number
  readonly runningPerClient?: number
  /** Absent when the callers are few and each waits once at most. */
  readonly wait?: WaitBounds
}

export type WaitBounds = {
  /** How many may wait, and how many of one client. */
  readonly waiting: number
  readonly waitingPerClient: number
  /** How long one waits. */
  readonly waitMs: number
  /** The error for a client that has too much waiting. */
  clientError(): Error
  /** The error when too much waits in all, or when the wait was too long. */
  busyError(): Error
}

type Waiter = { readonly client: string; begin(): void }

/**
 * Bounds concurrent work. It is first come, first served, except that clients at their own bound are passed over, so
 * that a client with many requests does not delay the others.
 */
export class Turns {
  readonly #bounds: TurnBounds
  readonly #running = new Map<string, number>()
  readonly #waiters = new Set<Waiter>()
  #total = 0

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds
  }

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (!this.#mayRun(client)) await this.#wait(client)
    else this.#take(client)
    try {
      return await work()
    } finally {
      this.#release(client)
    }
  }

  get running(): number {
    return this.#total
  }

  get waiting(): number {
    return this.#waiters.size
  }

  #mayRun(client: string): boolean {
    const { running, runningPerClient = running } = this.#bounds
    return this.#total < running && (this.#running.get(client) ?? 0) < runningPerClient
  }

  #take(client: string): void {
    this.#total++
    this.#running.set(client, (this.#running.get(client) ?? 0) + 1)
  }

  #release(client: string): void {
    this.#total--
    const left = this.#running.get(client)! - 1
    if (left > 0) this.#running.set(client, left)
    else this.#running.delete(client)
    for (const waiter of this.#waiters) {
      if (this.#total >= this.#bounds.running) return
      if (this.#mayRun(waiter.client)) waiter.begin()
    }
  }

  /** Resolves when the turn has been taken. */
  #wait(client: string): Promise<void> {
    const { wait } = this.#bounds
    if (wait) this.#checkRoom(client, wait)
    return new Promise((resolve, reject) => {
      const waiter = {
        client,
        begin: () => {
          clearTimeout(timer)
          this.#waiters.delete(waiter)
          this.#take(client)
          resolve()
        },
      }
      const giveUp = (error: Error) => {
        this.#waiters.delete(waiter)
        reject(error)
      }
      const timer = wait && setTimeout(() => giveUp(wait.busyError()), wait.waitMs)
      this.#waiters.add(waiter)
    })
  }

  #checkRoom(client: string, bounds: WaitBounds): void {
    const own = [...this.#waiters].filter((waiter) => waiter.client === client).length
    if (own >= bounds.waitingPerClient) throw bounds.clientError()
    if (this.#waiters.size >= bounds.waiting) throw bounds.busyError()
  }
}
