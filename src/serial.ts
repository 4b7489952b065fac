/**
 * A queue that runs one task at a time, in the order of the calls. The caller handles a failure; later tasks
 * still run.
 */
type Serial = {
  run<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when everything queued so far is done; never rejects. */
  idle(): Promise<void>
}

export function serial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run<T>(work: () => Promise<T>): Promise<T> {
      const run = last.then(work)
      last = run.catch(() => {})
      return run
    },
    async idle() {
      await last
    },
  }
}
