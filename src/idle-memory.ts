import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'

const LOOK_MS = 500
/**
 * How often a thread that answers requests looks: what follows a collection of the whole heap costs a third more for a
 * while, so a pause of a second is not worth one.
 */
export const SERVING_LOOK_MS = 10_000
/** The most that an idle thread works, as a share of the time. */
const IDLE_SHARE = 0.1
/** What is worth a collection, which stops the thread for about a millisecond per MB that is in use. */
const GROWTH_BYTES = 4 * 1024 * 1024

let isLooking = false

/**
 * Gives memory back when this thread has nothing to do: what its start needed, and then what loads needed. V8 collects a
 * heap once it has grown by a share of its size, which that of an idle thread never does. Does nothing without `--expose-gc`.
 */
export function collectWhenIdle(lookMs = LOOK_MS): void {
  if (!globalThis.gc || isLooking) return
  isLooking = true
  let before = performance.eventLoopUtilization()
  let leftBytes = 0
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > IDLE_SHARE || oldBytes() < leftBytes + GROWTH_BYTES) return
    giveBack()
    leftBytes = oldBytes()
    lookEvery(lookMs)
  }
  let looks: NodeJS.Timeout | undefined
  const lookEvery = (ms: number) => {
    clearInterval(looks)
    looks = setInterval(look, ms).unref()
  }
  lookEvery(LOOK_MS)
}

/** A usual collection would keep the young generation and a pool of free pages: most of what an idle thread occupies. */
function giveBack(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Without the young generation, which few requests fill again. */
const oldBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => !space_name.startsWith('new_'))
    .reduce((sum, space) => sum + space.physical_space_size, 0)
