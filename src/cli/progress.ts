import { Presets, SingleBar } from 'cli-progress'

// Bars for who watches: nothing is drawn where standard error is no terminal.

const OPTIONS = { stream: process.stderr, clearOnComplete: true, hideCursor: true }

export type Bar = { update(value: number): void; stop(): void }

/** How much is done of what there is. */
export const progressBar = (total: number, what: string): Bar =>
  start(`${what} [{bar}] {percentage}%`, total)

/** How much is done where nobody knows how much there is. */
export const countingBar = (what: string): Bar => start(`{value} ${what}`, Number.MAX_SAFE_INTEGER)

function start(format: string, total: number): Bar {
  const bar = new SingleBar({ ...OPTIONS, format }, Presets.legacy)
  bar.start(total, 0)
  return { update: (value) => bar.update(value), stop: () => bar.stop() }
}
