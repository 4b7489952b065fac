import { setImmediate as nextTurn } from 'node:timers/promises'

/** Runs one task at a time, in the order of the calls. A task that fails does not affect later ones. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#last.then(task)
    this.#last = run.catch(() => {})
    return run
  }

  /** Resolves when all tasks queued so far have ended; never rejects. */
  async idle(): Promise<void> {
    await this.#last
  }
}

/**
 * Does this for each item, at most `running` at a time, and returns the results in the order of the items. After a failure
 * no further item is begun.
 */
export async function mapAtMost<T, R>(
  items: readonly T[],
  running: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await work(items[at]!).catch((error: unknown) => {
        next = items.length
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(running, items.length) }, worker))
  return results
}

export type SemaphoreLimits = {
  /** Tasks that run at once, and those of one client. */
  readonly running: number
  readonly runningPerClient?: number
  /** Limits of the queue. Absent when the callers are few and each waits once at most. */
  readonly queue?: QueueLimits
}

type QueueLimits = {
  /** Tasks that wait at once, and those of one client. */
  readonly waiting: number
  readonly waitingPerClient: number
  readonly timeoutMs: number
  /** The error for a client with too many waiting tasks. */
  clientError(): Error
  /** The error when the queue is full or the timeout has passed. */
  busyError(): Error
}

type Waiter = Pick<Wait, 'isFirst'> & {
  readonly client: string
  acquire(): void
  giveUp(error: Error): void
}

type Wait = {
  /** Takes the next place before clients whose turn it is, because a task was ended for it. */
  readonly isFirst?: boolean
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Bounds the tasks that run at once. The next one is of the client with the fewest running tasks, of several such of the one
 * whose last task began first, and each client's own are first come, first served, so that clients with many tasks do not
 * delay those with few. Without a limit per client all are first come, first served.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits
  readonly #runningOf = new Map<string, number>()
  readonly #waiters = new Set<Waiter>()
  /** When the last task of a client with waiting or running ones began, as the number of the task. */
  readonly #begunAt = new Map<string, number>()
  #begun = 0
  #running = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  async run<T>(client: string, task: () => Promise<T>): Promise<T> {
    const release = await this.acquire(client)
    try {
      return await task()
    } finally {
      release()
    }
  }

  /** Waits until a task of a client may run, and resolves to what is to be called when it has ended. */
  async acquire(client: string, wait: Wait = {}): Promise<() => void> {
    wait.signal?.throwIfAborted()
    if (this.#mayRun(client)) this.#acquire(client)
    else await this.#wait(client, wait)
    return () => this.#release(client)
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiters.size
  }

  /** Whether a client has as many running tasks as one may have. */
  isAtLimit(client: string): boolean {
    const { running, runningPerClient = running } = this.#limits
    return (this.#runningOf.get(client) ?? 0) >= runningPerClient
  }

  #mayRun(client: string): boolean {
    return this.#running < this.#limits.running && !this.isAtLimit(client)
  }

  #acquire(client: string): void {
    this.#running++
    this.#begunAt.set(client, ++this.#begun)
    this.#runningOf.set(client, (this.#runningOf.get(client) ?? 0) + 1)
  }

  #release(client: string): void {
    this.#running--
    const left = this.#runningOf.get(client)! - 1
    if (left > 0) this.#runningOf.set(client, left)
    else this.#runningOf.delete(client)
    if (left <= 0 && ![...this.#waiters].some((waiter) => waiter.client === client))
      this.#begunAt.delete(client)
    this.#next()?.acquire()
  }

  #next(): Waiter | undefined {
    const [oldest] = this.#waiters
    if (this.#limits.runningPerClient === undefined) return oldest
    const running = ({ client }: Waiter) => this.#runningOf.get(client) ?? 0
    const begunAt = ({ client }: Waiter) => this.#begunAt.get(client) ?? 0
    const mayRun = [...this.#waiters].filter(({ client }) => this.#mayRun(client))
    return (
      mayRun.find(({ isFirst }) => isFirst) ??
      mayRun.reduce<Waiter | undefined>((first, waiter) => {
        if (!first) return waiter
        const later = running(waiter) - running(first) || begunAt(waiter) - begunAt(first)
        return later < 0 ? waiter : first
      }, undefined)
    )
  }

  /** Resolves when the semaphore has been acquired. */
  #wait(client: string, { isFirst = false, signal }: Wait): Promise<void> {
    const { queue } = this.#limits
    if (queue) this.#checkQueue(client, queue)
    return new Promise((resolve, reject) => {
      const stop = () => waiter.giveUp(signal!.reason)
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter = {
        client,
        isFirst,
        acquire: () => {
          leave()
          this.#acquire(client)
          resolve()
        },
        giveUp: (error) => {
          leave()
          reject(error)
        },
      }
      const timer = queue && setTimeout(() => waiter.giveUp(queue.busyError()), queue.timeoutMs)
      this.#waiters.add(waiter)
      signal?.addEventListener('abort', stop)
    })
  }

  /** When the queue is full, the client with the most waiting tasks loses its newest one to a client with fewer. */
  #checkQueue(client: string, limits: QueueLimits): void {
    const byClient = Map.groupBy(this.#waiters, (waiter) => waiter.client)
    const own = byClient.get(client)?.length ?? 0
    if (own >= limits.waitingPerClient) throw limits.clientError()
    if (this.#waiters.size < limits.waiting) return
    const most = [...byClient.values()].reduce((longest, one) =>
      one.length > longest.length ? one : longest,
    )
    if (most.length <= own + 1) throw limits.busyError()
    most.at(-1)!.giveUp(limits.busyError())
  }
}

/**
 * Lets concurrent callers share one call of `work`. Callers during a call share the next one, which starts after it, so
 * that they see their own earlier writes. Two calls never overlap.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = (): Promise<T> => {
    const call = work().finally(() => {
      if (running === call) running = undefined
    })
    running = call
    return call
  }
  const startAfter = async (earlier: Promise<T>): Promise<T> => {
    await earlier.catch(() => {})
    next = undefined
    return start()
  }
  return () => {
    if (!next && !running) return start()
    next ??= startAfter(running!)
    return next
  }
}

/**
 * Runs tasks in order, each when the one before it has failed or has taken `pauseMs`. While one is under way, those that have
 * failed are tried again after that time. Resolves to the first result; `discard` gets those that come later. Rejects with
 * an AggregateError when all have failed.
 */
export function firstResult<T>(
  tasks: readonly (() => Promise<T>)[],
  pauseMs: number,
  discard: (late: T) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const errors = new Map<() => Promise<T>, unknown>()
  const waiting = tasks.values()
  let running = 0
  let isOver = false
  const run = (task: (() => Promise<T>) | undefined) => {
    if (isOver || !task) return
    running++
    task().then(succeed, (error) => fail(task, error))
  }
  const succeed = (result: T) => {
    if (isOver) return discard(result)
    isOver = true
    resolve(result)
  }
  const fail = (task: () => Promise<T>, error: unknown) => {
    running--
    errors.set(task, error)
    startNext()
    if (isOver) return
    if (running > 0) {
      setTimeout(run, pauseMs, task)
      return
    }
    isOver = true
    reject(new AggregateError(errors.values()))
  }
  const startNext = () => {
    const { value: task } = waiting.next()
    if (!task) return
    run(task)
    setTimeout(startNext, pauseMs)
  }
  startNext()
  return promise
}

type Batch<Key, Value> = {
  /** The index of each key. */
  readonly keys: Map<Key, number>
  readonly values: Promise<readonly Value[]>
}

/**
 * Loads the keys that are requested in one turn of the event loop together. For a database, to which each statement
 * costs several times what a row in it does. `loadAll` gets each key once and returns its value at the key's index.
 */
export class BatchLoader<Key, Value> {
  readonly #maxKeys: number
  readonly #loadAll: (keys: readonly Key[]) => Promise<readonly Value[]>
  #open: Batch<Key, Value> | undefined

  constructor(maxKeys: number, loadAll: (keys: readonly Key[]) => Promise<readonly Value[]>) {
    this.#maxKeys = maxKeys
    this.#loadAll = loadAll
  }

  async load(key: Key): Promise<Value> {
    if (!this.#open || this.#open.keys.size >= this.#maxKeys) {
      const keys = new Map<Key, number>()
      this.#open = { keys, values: this.#loadBatch(keys) }
    }
    const { keys, values } = this.#open
    const index = keys.getOrInsert(key, keys.size)
    return (await values)[index] as Value
  }

  async #loadBatch(keys: ReadonlyMap<Key, number>): Promise<readonly Value[]> {
    await nextTurn()
    if (this.#open?.keys === keys) this.#open = undefined
    return this.#loadAll([...keys.keys()])
  }
}

/** Works of one group at most. Beside so many, the flush of their transaction costs little. */
export const MAX_GROUP = 64

/** The outcome of one work of a group; a refused one changed nothing. */
export type WorkOutcome<T> = { readonly value: T } | { readonly refused: Error }

export type GroupTransactions<Work, Result> = {
  /** Does one work in a transaction of its own. Throws when it is refused or fails. */
  alone(work: Work): Promise<Result>
  /** Does works in order in one transaction. A refused one has its own outcome; any other error fails all of them. */
  together(works: readonly Work[]): Promise<readonly WorkOutcome<Result>[]>
  /** Whether the works of a failed group are tried alone: not when they may have been committed. */
  mayRetry(error: unknown): boolean
}

type WaitingWork<Work, Result> = {
  readonly work: Work
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Group commit: works that are requested while a transaction runs share the next one and its flush to disk. Each has
 * its own outcome: one that is refused or fails does not affect the others.
 */
export class GroupCommit<Work, Result> {
  readonly #transactions: GroupTransactions<Work, Result>
  #waiting: WaitingWork<Work, Result>[] = []
  #isRunning = false

  constructor(transactions: GroupTransactions<Work, Result>) {
    this.#transactions = transactions
  }

  run(work: Work): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      if (!this.#isRunning) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      // Everything that arrives in this turn of the event loop joins the transaction.
      await nextTurn()
      const group = this.#waiting.splice(0, MAX_GROUP)
      if (group.length === 1) await this.#alone(group[0]!)
      else await this.#together(group)
    }
    this.#isRunning = false
  }

  async #alone({ work, resolve, reject }: WaitingWork<Work, Result>): Promise<void> {
    await this.#transactions.alone(work).then(resolve, reject)
  }

  async #together(group: readonly WaitingWork<Work, Result>[]): Promise<void> {
    try {
      const outcomes = await this.#transactions.together(group.map(({ work }) => work))
      for (const [i, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[i]!
        if ('refused' in outcome) reject(outcome.refused)
        else resolve(outcome.value)
      }
    } catch (error) {
      if (this.#transactions.mayRetry(error))
        for (const waiting of group) await this.#alone(waiting)
      else for (const { reject } of group) reject(error)
    }
  }
}

type Makers<C> = Readonly<Record<string, (context: C) => unknown>>
type Made<M extends Makers<never>> = { readonly [K in keyof M]: ReturnType<M[K]> }

/**
 * A class whose instances have a property for each of these functions, created on first use. For objects with many parts
 * of which few are used, such as the writer of a transaction.
 */
export function lazy<C, const M extends Makers<C>>(
  makers: M & Makers<C>,
): new (
  context: C,
) => Made<M> {
  class Parts {
    readonly #context: C
    readonly #made = new Map<string, unknown>()

    constructor(context: C) {
      this.#context = context
    }

    static {
      for (const [name, make] of Object.entries<(context: C) => unknown>(makers)) {
        Object.defineProperty(Parts.prototype, name, {
          get(this: Parts) {
            return this.#made.getOrInsertComputed(name, () => make(this.#context))
          },
        })
      }
    }
  }
  return Parts as unknown as new (
    context: C,
  ) => Made<M>
}
