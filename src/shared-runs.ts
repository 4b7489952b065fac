/**
 * Makes one run of some work serve everybody who asks at the same time. What a caller gets began after
 * it asked, so it sees whatever was done before; at most one run is under way.
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
