import { Presets, SingleBar } from 'cli-progress'
import type { App } from '../app.ts'

const LOOK_MS = 500

/**
 * A bar on the terminal while the past of a chain is read, and no longer; nothing where nobody watches.
 * What it answers with takes it away.
 */
export function showCatchingUp({ followers }: Pick<App, 'followers'>): () => void {
  const [first] = followers.status()
  if (!first || !process.stderr.isTTY) return () => {}
  const format =
    'Reading the chain {bar} {percentage}% | {value} of {total} blocks | {eta_formatted}'
  const options = { stream: process.stderr, clearOnComplete: true, format }
  const bar = new SingleBar(options, Presets.legacy)
  let from: number | undefined
  const look = () => {
    const { followedBlock, blocksBehind, isCaughtUp, stopped } = followers.status()[0]!
    if (isCaughtUp || stopped !== undefined) return end()
    if (followedBlock === undefined || blocksBehind === undefined) return
    // What was read before this start is not part of the way.
    from ??= followedBlock
    const total = followedBlock + blocksBehind
    if (!bar.isActive) bar.start(total - from, 0)
    bar.setTotal(total - from)
    bar.update(followedBlock - from)
  }
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  const end = () => {
    clearInterval(timer)
    bar.stop()
  }
  return end
}
