import type { App } from '../app.ts'
import { progressBar } from './progress.ts'

const POLL_MS = 500

/**
 * Shows a progress bar while the history of a chain is read; nothing when standard error is no terminal.
 * Returns a function that removes the bar.
 */
export function showCatchingUp({ followers }: Pick<App, 'followers'>): () => void {
  const [first] = followers.status()
  if (!first || !process.stderr.isTTY) return () => {}
  const bar = progressBar('Reading blocks of the chain')
  let from: number | undefined
  const show = () => {
    const { followedBlock, blocksBehind, isCaughtUp, stopped } = followers.status()[0]!
    if (isCaughtUp || stopped !== undefined) return end()
    if (followedBlock === undefined || blocksBehind === undefined) return
    // Blocks read before this start do not count.
    from ??= followedBlock
    bar.update(followedBlock - from, followedBlock + blocksBehind - from)
  }
  const timer = setInterval(show, POLL_MS)
  timer.unref()
  const end = () => {
    clearInterval(timer)
    bar.stop()
  }
  return end
}
