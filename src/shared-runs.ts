/**
 * Lets one run serve all concurrent callers. A run starts after the calls that it serves, so that it sees their
 * earlier writes; at most one runs at a time.
 */
export function sharedRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    const run = work().finally(() => {
      if (running === run) running = undefined
    })
    running = run
    return run
  }
  const follow = async (earlier: Promise<T>): Promise<T> => {
    await earlier.catch(() => {})
    next = undefined
    return begin()
  }
  return () => {
    if (!next && !running) return begin()
    next ??= follow(running!)
    return next
  }
}
