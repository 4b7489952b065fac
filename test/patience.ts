// How long tests wait. A limit is given as what a quiet machine needs with a margin; it grows with how slow this machine is
// and how much runs beside the tests. `npm test` measures both when it starts, and its test files get the result.

import { spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { STRESS_LOOPS } from './effort.ts'

/** What the two pieces of work below take on the quiet machine that the limits were chosen on. */
const USUAL_WORK_MS = 6
const USUAL_START_MS = 22
/** The best of so many counts: other programs interrupt some of them. */
const MEASUREMENTS = 3
/** On a loaded machine one measurement has to do. */
const MAX_MEASURING_MS = 150
/** Load comes and goes, and the tests make most of it: waits are always prepared for this much. */
const EXPECTED_LOAD = 20
/** With many processors a run has more processes too. */
const MIN_SHARERS = 4
/** A wait of 15 seconds then ends after 15 minutes. */
const MAX_PATIENCE = 60

export type Pace = {
  /** How many times longer than on the usual machine the whole run takes: at least 1. */
  readonly run: number
  /** How many times longer one wait may take. */
  readonly waits: number
}

/** The pace of a machine by its slowness (1 is usual), its load and its processors. */
export function paceOf(slowness: number, load: number, processors: number): Pace {
  const sharers = Math.max(1, load / processors)
  const expected = Math.max(sharers, EXPECTED_LOAD / processors, MIN_SHARERS)
  const slow = Math.max(1, slowness)
  return { run: slow * sharers, waits: Math.min(slow * expected, MAX_PATIENCE) }
}

/** Measures this machine in about 0.1 s. */
function measurePace(): Pace {
  const work = best(countUp) / USUAL_WORK_MS
  const start = best(startProcess) / USUAL_START_MS
  return paceOf(Math.max(work, start), loadavg()[0]! + STRESS_LOOPS, availableParallelism())
}

/** How many times more processor time this machine takes for the same work than the usual one: other programs do not count. */
export function processorSlowness(): number {
  const used = () => process.cpuUsage().user / 1_000
  return leastOf(used, countUp) / USUAL_WORK_MS
}

const { TEST_PACE } = process.env
/** Of this machine when the run began. */
export const PACE: Pace = TEST_PACE ? (JSON.parse(TEST_PACE) as Pace) : measurePace()

/** The limit of a wait here that takes at most so long on a quiet machine. */
export function patient(quietMs: number): number {
  return Math.round(quietMs * PACE.waits)
}

/** How long a test waits for what takes a few seconds at most: two and a half minutes on two usual processors. */
export const PATIENCE_MS = patient(15_000)

function best(work: () => void): number {
  return leastOf(() => performance.now(), work)
}

function leastOf(clockMs: () => number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  const begun = performance.now()
  for (let i = 0; i < MEASUREMENTS && performance.now() - begun < MAX_MEASURING_MS; i++) {
    const start = clockMs()
    work()
    least = Math.min(least, clockMs() - start)
  }
  return least
}

function countUp(): number {
  let sum = 1
  for (let i = 0; i < 5_000_000; i++) sum = Math.imul(sum ^ i, 0x9e3779b1) | 1
  return sum
}

function startProcess(): void {
  spawnSync(process.execPath, ['--eval', '0'])
}
