import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { MIB } from '../protocol/sizes.ts'

/** When an idle thread collects its heap, and how. */
export type IdleRule = {
  readonly checkMs: number
  /** The most that an idle thread works, as a share of the time. */
  readonly share: number
  /** What is worth a collection, which stops the thread for some milliseconds per MB that is in use. */
  readonly growthBytes: number
  /** A regular collection keeps the young generation and a pool of free pages; the other one takes two to three times as long. */
  readonly flavor: 'regular' | 'last-resort'
}
/** Under submits the thread of the views works for less than a tenth of the time, with pauses of more than half a second. */
const WORKING: IdleRule = {
  checkMs: 1_000,
  share: 0.02,
  growthBytes: 8 * MIB,
  flavor: 'last-resort',
}
/**
 * For a thread that answers requests: what follows a collection of the whole heap costs a third more for a while, so a
 * pause of a second is not worth one, and a request may come during it.
 */
export const SERVING: IdleRule = {
  checkMs: 10_000,
  share: 0.1,
  growthBytes: 8 * MIB,
  flavor: 'regular',
}

let isCollecting = false

/**
 * Gives memory back when this thread has nothing to do: first what its start needed, later what loads needed. V8 collects a
 * heap once it has grown by a share of its size, which that of an idle thread never does. Does nothing without `--expose-gc`.
 */
export function collectWhenIdle(rule = WORKING): void {
  const { gc } = globalThis
  if (!gc || isCollecting) return
  isCollecting = true
  let before = performance.eventLoopUtilization()
  const isIdle = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization <= rule.share
  }
  const collectAfterStart = () => {
    if (!isIdle()) return
    clearInterval(checks)
    collectThoroughly()
    let leftBytes = bytesFor(rule)
    const collectAfterGrowth = () => {
      if (!isIdle() || bytesFor(rule) < leftBytes + rule.growthBytes) return
      gc({ type: 'major', execution: 'sync', flavor: rule.flavor })
      leftBytes = bytesFor(rule)
    }
    setInterval(collectAfterGrowth, rule.checkMs).unref()
  }
  const checks = setInterval(collectAfterStart, WORKING.checkMs).unref()
}

/** Gives memory back after work that needed much. Stops the thread for 10 to 50 ms. Does nothing without `--expose-gc`. */
export function collectThoroughly(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** What a collection can give back: a regular one keeps the young generation. */
const bytesFor = ({ flavor }: IdleRule): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => flavor === 'last-resort' || !space_name.startsWith('new_'))
    .reduce((sum, space) => sum + space.physical_space_size, 0)
