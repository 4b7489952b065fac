// What a test run prints.

import type { FileResult } from './file-result.ts'

const DEAREST_SHOWN = 10
/** Of a file that fails: enough to find the reason, and the log stays readable. */
const MAX_OUTPUT_CHARS = 20_000

/** A line for a file that has ended; all that is known of it when it failed. */
export function printFile(result: FileResult): void {
  console.log(`${hasPassed(result) ? 'ok    ' : 'FAILED'} ${result.file}: ${costOf(result)}`)
  if (hasPassed(result)) return
  printFailure(result)
  if (result.output) console.log(`it wrote:\n${result.output.slice(-MAX_OUTPUT_CHARS)}`)
}

export function printLeftOpen(files: readonly string[]): void {
  console.log(`left open: a test in one of these does not end what it starts: ${files.join(', ')}`)
}

/** The end of a log is what people look at, so failures are printed again. */
export function printSummary(run: {
  results: readonly FileResult[]
  /** The last result of each file that has not passed in the end. */
  failures: readonly FileResult[]
  unstable: readonly string[]
  seconds: number
}): void {
  const { results, failures, unstable, seconds } = run
  const total = (of: (result: FileResult) => number) =>
    results.reduce((sum, result) => sum + of(result), 0)
  console.log(`\nThe ${DEAREST_SHOWN} dearest files:`)
  const dearest = results.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, DEAREST_SHOWN)
  for (const result of dearest) console.log(`  ${result.file}: ${costOf(result)}`)
  console.log(
    `\n${total(({ count }) => count.passed)} tests passed, ` +
      `${total(({ count }) => count.failed)} failed, ${total(({ count }) => count.skipped)} were ` +
      `skipped, in ${results.length} files, ${Math.round(seconds)} s and ` +
      `${(total(({ cpuSeconds }) => cpuSeconds) / 60).toFixed(1)} CPU minutes`,
  )
  for (const file of unstable) console.log(`unstable: ${file} failed once and passed alone`)
  for (const result of failures) {
    console.log(`\nFAILED: ${result.file}`)
    printFailure(result)
  }
}

export function hasPassed({ failures }: FileResult): boolean {
  return failures.length === 0
}

function printFailure({ failures }: FileResult): void {
  for (const failure of failures) console.log(`  ✖ ${failure.replaceAll('\n', '\n    ')}`)
}

function costOf({ count, ms, cpuSeconds }: FileResult): string {
  const tests = count.passed + count.failed + count.skipped
  return `${tests} tests, ${(ms / 1000).toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s`
}
