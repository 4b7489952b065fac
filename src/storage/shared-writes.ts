import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../protocol/rejection.ts'
import { StoreUnavailable } from './unavailable.ts'

/** Works of one transaction: its flush costs little beside so many. */
export const MAX_SHARED_WORKS = 64

/** What a work of a shared transaction came to; a refused one changed nothing. */
export type WorkOutcome<T> = { readonly value: T } | { readonly refused: Rejection }

export type Transactions<W> = {
  /** Does one work in a transaction of its own. */
  alone<T>(work: (tx: W) => Promise<T>): Promise<T>
  /** Does works in order in one transaction. Throws when one of them fails with more than a Rejection. */
  together(works: readonly ((tx: W) => Promise<unknown>)[]): Promise<WorkOutcome<unknown>[]>
}

type Waiting<W> = {
  readonly work: (tx: W) => Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * Small works that are asked for while a transaction is under way share the next one, and so its flush to disk.
 * Each has its own outcome: a work that is refused leaves the others as they are.
 */
export class SharedWrites<W> {
  readonly #transactions: Transactions<W>
  #waiting: Waiting<W>[] = []
  #isRunning = false

  constructor(transactions: Transactions<W>) {
    this.#transactions = transactions
  }

  run<T>(work: (tx: W) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (!this.#isRunning) void this.#runAll()
    })
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      // Everything that arrives in this turn of the event loop joins the transaction.
      await nextTurn()
      const batch = this.#waiting.splice(0, MAX_SHARED_WORKS)
      if (batch.length === 1) await this.#alone(batch[0]!)
      else await this.#together(batch)
    }
    this.#isRunning = false
  }

  async #alone({ work, resolve, reject }: Waiting<W>): Promise<void> {
    await this.#transactions.alone(work).then(resolve, reject)
  }

  async #together(batch: readonly Waiting<W>[]): Promise<void> {
    try {
      const outcomes = await this.#transactions.together(batch.map(({ work }) => work))
      for (const [i, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[i]!
        if ('refused' in outcome) reject(outcome.refused)
        else resolve(outcome.value)
      }
    } catch (error) {
      // When the store fails, what was stored is not known. Any other error is the fault of one of the works.
      if (error instanceof StoreUnavailable) for (const { reject } of batch) reject(error)
      else for (const waiting of batch) await this.#alone(waiting)
    }
  }
}

/** What a work comes to when its changes are kept or undone by `keep` and `undo`. */
export async function outcomeOf<T>(
  work: () => Promise<T>,
  keep: () => Promise<unknown>,
  undo: () => Promise<unknown>,
): Promise<WorkOutcome<T>> {
  try {
    const value = await work()
    await keep()
    return { value }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    await undo()
    return { refused: error }
  }
}
