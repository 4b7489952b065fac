/** Does some work from time to time, never twice at once, until what it answers with is called and is over. */
export function repeat(
  work: () => Promise<unknown>,
  intervalMs: number,
  onError: (error: unknown) => void = () => {},
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    running = work()
      .catch(onError)
      .finally(() => {
        busy = false
      })
  }, intervalMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
