import { Refusal } from './request.ts'

// The same for several, one after the other: what is refused keeps nothing that follows from being done, and each is told.

/** A server that says for how long it takes nothing is waited for, so long at most. */
const MAX_WAIT_SECONDS = 60
const MAX_TRIES = 3

export type NotDone<T> = { readonly item: T; readonly message: string }

export type Outcome<T> = {
  readonly failed: readonly NotDone<T>[]
  /** Where it was stopped, all that were not done. */
  readonly left: readonly T[]
}

/** Does `work` for each, until `signal` stops it. */
export async function oneByOne<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  tellDone: (count: number) => void,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  const failed: NotDone<T>[] = []
  let done = 0
  for (const item of items) {
    if (signal.aborted) break
    try {
      await tried(() => work(item), signal)
    } catch (error) {
      failed.push({ item, message: error instanceof Error ? error.message : String(error) })
    }
    done++
    tellDone(done)
  }
  const left = signal.aborted ? [...failed.map(({ item }) => item), ...items.slice(done)] : []
  return { failed, left }
}

async function tried(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work()
      return
    } catch (error) {
      const seconds = error instanceof Refusal ? (error.retryAfter ?? 0) : 0
      if (tries === MAX_TRIES || seconds <= 0 || seconds > MAX_WAIT_SECONDS) throw error
      await waited(seconds * 1_000, signal)
      if (signal.aborted) throw error
    }
  }
}

/** Ends after a time, or when `signal` stops it. */
function waited(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}
