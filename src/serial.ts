/**
 * A queue that runs one piece of work at a time, in the order of the calls. A failure is the caller's to
 * handle; the work behind it runs all the same.
 */
export type Serial = {
  run<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when everything that was queued by now is done; never rejects. */
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
