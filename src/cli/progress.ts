import { Presets, SingleBar } from 'cli-progress'

// Progress bars on standard error; nothing is drawn when that is no terminal. Only this file knows the
// library that draws them.

const OPTIONS = { stream: process.stderr, clearOnComplete: true, hideCursor: true }

type Bar = {
  /** The bar appears with the first update. The total may change while work goes on. `detail`: see `progressBar`. */
  update(value: number, total?: number, detail?: string): void
  stop(): void
}

/** Progress towards a total, which may be known only later; `hasDetail`: with a text of each update in place of the time left. */
export const progressBar = (what: string, total = 1, hasDetail = false): Bar =>
  createBar(
    `${what} [{bar}] {percentage}% | {value} of {total} | ${hasDetail ? '{detail}' : '{eta_formatted}'}`,
    total,
  )

/** A counter for work of unknown size. */
export const countingBar = (what: string): Bar =>
  createBar(`{value} ${what}`, Number.MAX_SAFE_INTEGER)

function createBar(format: string, initialTotal: number): Bar {
  const bar = new SingleBar({ ...OPTIONS, format }, Presets.legacy)
  let total = initialTotal
  return {
    update(value, newTotal = total, detail = '') {
      total = newTotal
      if (!bar.isActive) bar.start(total, value, { detail })
      bar.setTotal(total)
      bar.update(value, { detail })
    },
    stop: () => bar.stop(),
  }
}
