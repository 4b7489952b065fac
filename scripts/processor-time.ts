// Processor time of tests, in seconds. Linux tells it of a process and of its children that have ended.

import { appendFileSync, readdirSync, readFileSync } from 'node:fs'

/** Of /proc/[pid]/stat behind the name in brackets: the parent, and the time of the process and of its children that have ended. */
const STAT = { parent: 1, own: [11, 12], ended: [13, 14], ticksPerSecond: 100 }

/** Of this process and all that it has started and that has ended, threads, browsers and PostgreSQL included. */
export function processorSeconds(): number | undefined {
  const stat = statOf('self')
  return stat && (stat.own + stat.ended) / STAT.ticksPerSecond
}

/** Of the children of this process that have ended. */
export const endedSeconds = (): number => (statOf('self')?.ended ?? 0) / STAT.ticksPerSecond

/** Of a process and of all below it, which a browser does not wait for when it ends; 0 where the system does not tell it. */
export function treeSeconds(pid: number): number {
  if (process.platform !== 'linux') return 0
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const all = names.flatMap((name) => statOf(name) ?? [])
  const ofTree = (root: number): number =>
    all.filter((one) => one.pid === root).reduce((sum, one) => sum + one.own + one.ended, 0) +
    all.filter((one) => one.parent === root).reduce((sum, one) => sum + ofTree(one.pid), 0)
  return ofTree(pid) / STAT.ticksPerSecond
}

/** Undefined for a process that has just ended, and on systems other than Linux. */
function statOf(pid: string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const sumOf = (places: readonly number[]) =>
      places.reduce((sum, place) => sum + Number(fields[place]), 0)
    return {
      pid: Number(pid),
      parent: Number(fields[STAT.parent]),
      own: sumOf(STAT.own),
      ended: sumOf(STAT.ended),
    }
  } catch {
    return undefined
  }
}

export type FileTime = { readonly file: string; readonly seconds: number }

/**
 * Writes a line of JSON for each test file of this process: what it used from its begin to that of the next. The function
 * that it returns is called with the name of each file that begins.
 */
export function meterFiles(report: string): (file: string) => void {
  let last: { file: string; begun: number } | undefined
  const next = (file?: string) => {
    const seconds = processorSeconds()
    if (seconds === undefined) return
    if (last) {
      const time: FileTime = { file: last.file, seconds: seconds - last.begun }
      appendFileSync(report, `${JSON.stringify(time)}\n`)
    }
    last = file === undefined ? undefined : { file, begun: seconds }
  }
  process.on('exit', () => next())
  return next
}

/** From this share on a run says that it became dearer or cheaper than the number in the repository. */
const NOTABLE_SHARE = 0.1

/**
 * What to say of the processor time of a whole run beside the one that the repository keeps, both in seconds of the usual machine;
 * nothing while they differ by less than a tenth.
 */
export function judge(seconds: number, kept: number, file: string): string | undefined {
  const change = seconds / kept - 1
  const figures = `${Math.round(seconds)} s of a usual machine, and ${file} says ${kept} s`
  if (change >= NOTABLE_SHARE) {
    return `WARNING: the tests have become dearer by ${Math.round(change * 100)} %: ${figures}. Make them cheaper, or say in the commit why they cost more and write the new number.`
  }
  if (change > -NOTABLE_SHARE) return
  return `The tests have become cheaper by ${Math.round(-change * 100)} %: ${figures}. Write the new number.`
}
