// What became of a test file, from the lines that its process has sent.

import type { Idle } from './files.ts'
import type { Line } from './reporter.ts'

export type FileResult = {
  readonly file: string
  readonly ms: number
  readonly cpuSeconds: number
  readonly count: Readonly<Record<Outcome, number>>
  /** What went wrong, test by test; nothing when the file has passed. */
  readonly failures: readonly string[]
  /** What the process wrote while the file ran. */
  readonly output: string
}
type Ended = Extract<Line, { kind: 'ended' }>
type Outcome = Ended['outcome']

/** A file that a process runs or has run. */
export type FileRun = {
  readonly file: string
  readonly lines: Line[]
  output: string
  /** Whether the process has been told to run it. */
  isSent?: boolean
  /** What the process said when it had run the file. */
  idle?: Idle
}

export function resultOf({ file, lines, output, idle }: FileRun): FileResult {
  const ended = lines.filter((line) => line.kind === 'ended')
  const failures = ended.flatMap(({ failure }) => failure ?? [])
  const ms = ended.at(-1)?.ms ?? 0
  const cpuSeconds = idle?.cpuSeconds ?? 0
  return { file, ms, cpuSeconds, count: countOf(ended), failures, output }
}

/** Whether the file's own test, the outermost one, has ended. */
export function hasEnded({ lines }: FileRun): boolean {
  return lines.some((line) => line.kind === 'ended' && line.nesting === 0)
}

/** What went wrong after a test had ended. */
export function strayTexts({ lines }: FileRun): string[] {
  return lines.filter((line) => line.kind === 'strayed').map(({ text }) => text)
}

/** The names of the tests that have begun and not ended, outermost first. */
export function unfinished({ lines }: FileRun): string {
  const names: string[] = []
  for (const line of lines) {
    if (line.kind === 'strayed') continue
    names.length = line.nesting
    if (line.kind === 'began') names.push(line.name)
  }
  return names.join(' > ') || 'its first test'
}

function countOf(ended: readonly Ended[]): Record<Outcome, number> {
  const tests = ended.filter(({ nesting, isSuite }) => nesting > 0 && !isSuite)
  const count = (outcome: Outcome) => tests.filter((one) => one.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}
