// Processor time of tests, in seconds. Linux tells it of a process and of its children that have ended.

import { appendFileSync, readFileSync } from 'node:fs'

/** Of /proc/[pid]/stat behind the name in brackets: time of the process and of its children that have ended. */
const STAT_TIMES = { first: 11, count: 4, perSecond: 100 }

/** Of this process and all that it has started and that has ended, threads, browsers and PostgreSQL included. */
export function processorSeconds(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const times = fields.slice(STAT_TIMES.first, STAT_TIMES.first + STAT_TIMES.count)
  return times.reduce((sum, time) => sum + Number(time), 0) / STAT_TIMES.perSecond
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
