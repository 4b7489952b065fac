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

type Waiter = { readonly client: string; begin(): void; giveUp(error: Error): void }

/**
 * Bounds concurrent work. The next one is of the client of which least runs, and each client's own are first come, first
 * served, so that clients with many requests do not delay those with few. Where clients have no bound of their own, all
 * are first come, first served.
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
    this.#next()?.begin()
  }

  #next(): Waiter | undefined {
    const [oldest] = this.#waiters
    if (this.#bounds.runningPerClient === undefined) return oldest
    const runs = ({ client }: Waiter) => this.#running.get(client) ?? 0
    return [...this.#waiters]
      .filter(({ client }) => this.#mayRun(client))
      .reduce<Waiter | undefined>(
        (least, waiter) => (least && runs(least) <= runs(waiter) ? least : waiter),
        undefined,
      )
  }

  /** Resolves when the turn has been taken. */
  #wait(client: string): Promise<void> {
    const { wait } = this.#bounds
    if (wait) this.#checkRoom(client, wait)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter = {
        client,
        begin: () => {
          leave()
          this.#take(client)
          resolve()
        },
        giveUp: (error) => {
          leave()
          reject(error)
        },
      }
      const timer = wait && setTimeout(() => waiter.giveUp(wait.busyError()), wait.waitMs)
      this.#waiters.add(waiter)
    })
  }

  /** When the queue is full, the client that waits most gives its newest place to one that waits less. */
  #checkRoom(client: string, bounds: WaitBounds): void {
    const byClient = Map.groupBy(this.#waiters, (waiter) => waiter.client)
    const own = byClient.get(client)?.length ?? 0
    if (own >= bounds.waitingPerClient) throw bounds.clientError()
    if (this.#waiters.size < bounds.waiting) return
    const most = [...byClient.values()].reduce((longest, one) =>
      one.length > longest.length ? one : longest,
    )
    if (most.length <= own + 1) throw bounds.busyError()
    most.at(-1)!.giveUp(bounds.busyError())
  }
}
