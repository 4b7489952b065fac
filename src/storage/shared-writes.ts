import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejection } from '../protocol/rejection.ts'
import { StoreUnavailable } from './unavailable.ts'

/** Writes that share one transaction at most. Beside so many, its flush costs little. */
export const MAX_SHARED_WORKS = 64

/** The outcome of one write of a shared transaction; a refused write changed nothing. */
export type WorkOutcome<T> = { readonly value: T } | { readonly refused: Rejection }

export type Transactions<Work, Result> = {
  /** Does one work in a transaction of its own. Throws when it is refused or fails. */
  alone(work: Work): Promise<Result>
  /** Does works in order in one transaction. Throws when one of them fails with anything but a Rejection. */
  together(works: readonly Work[]): Promise<readonly WorkOutcome<Result>[]>
}

type Waiting<Work, Result> = {
  readonly work: Work
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Batches small writes: those that are requested while a transaction runs share the next one and its flush to disk.
 * Each has its own outcome: a refused write does not affect the others.
 */
export class SharedWrites<Work, Result> {
  readonly #transactions: Transactions<Work, Result>
  #waiting: Waiting<Work, Result>[] = []
  #isRunning = false

  constructor(transactions: Transactions<Work, Result>) {
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
      const batch = this.#waiting.splice(0, MAX_SHARED_WORKS)
      if (batch.length === 1) await this.#alone(batch[0]!)
      else await this.#together(batch)
    }
    this.#isRunning = false
  }

  async #alone({ work, resolve, reject }: Waiting<Work, Result>): Promise<void> {
    await this.#transactions.alone(work).then(resolve, reject)
  }

  async #together(batch: readonly Waiting<Work, Result>[]): Promise<void> {
    try {
      const outcomes = await this.#transactions.together(batch.map(({ work }) => work))
      for (const [i, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[i]!
        if ('refused' in outcome) reject(outcome.refused)
        else resolve(outcome.value)
      }
    } catch (error) {
      // When the store fails, what was stored is not known. Any other error is the fault of one of the writes.
      if (error instanceof StoreUnavailable) for (const { reject } of batch) reject(error)
      else for (const waiting of batch) await this.#alone(waiting)
    }
  }
}

/** Runs a write, then `keep`; when it throws a Rejection, `undo` instead. Other errors are thrown. */
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
