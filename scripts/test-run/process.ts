// One process of a test run: some test files, their limits, and what became of each of them.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROCESS_LIMIT_MS, STILL_OPEN } from './limits.ts'
import { needsOwnProcess } from './plan.ts'
import type { Line } from './reporter.ts'

export type FileResult = {
  readonly file: string
  readonly ms: number
  readonly cpuSeconds: number
  readonly count: Readonly<Record<Outcome, number>>
  /** What went wrong, test by test; nothing when the file has passed. */
  readonly failures: readonly string[]
  /** What the whole process wrote. */
  readonly output: string
  /** Tests of the process left something open, so that it had to be ended. */
  readonly isLeftOpen: boolean
}
type TestLine = Exclude<Line, { kind: 'strayed' }>
type Ended = Extract<Line, { kind: 'ended' }>
type Outcome = Ended['outcome']
type Running = {
  readonly files: readonly string[]
  readonly child: ChildProcess
  /** The file to which the process reports. */
  readonly linesFile: string
  /** Why the process was killed. */
  killedFor?: string
}

/**
 * Tests make much garbage and keep little of it: a large young generation from the start is collected least often.
 * Threads that help to collect it cost more than they gain, because other test processes use every processor.
 */
const HEAP_FLAGS = ['--min-semi-space-size=32', '--max-semi-space-size=32', '--single-threaded-gc']

const running = new Set<Running>()
let started = 0

/** Runs test files in a process of their own. */
export async function runProcess(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<FileResult[]> {
  const one = startProcess(files, env)
  let output = ''
  for (const stream of [one.child.stdout!, one.child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const limit = setTimeout(() => kill(one, `after ${PROCESS_LIMIT_MS / 1000} s`), PROCESS_LIMIT_MS)
  const closed = once(one.child, 'close')
  const [code, signal] = await once(one.child, 'exit')
  clearTimeout(limit)
  killGroup(one.child)
  await closed
  running.delete(one)
  const ending = endingOf(code, one.killedFor ?? signal)
  const costs = readText(costsFileOf(one.linesFile)).split('\n').map(Number)
  const results = resultsOf(files, readLines(one.linesFile), { costs, ending })
  return results.map((result) => ({ ...result, output, isLeftOpen: code === STILL_OPEN }))
}

/** Kills every process of the run. */
export function killAll(reason: string): void {
  for (const one of running) kill(one, reason)
}

/** What runs at the moment: the files of each process and the tests that have not ended. */
export function describeRunning(): string[] {
  return [...running].map(({ files, linesFile }) => {
    const tests = unfinished(readLines(linesFile))
    return `${files.join(' ')}: ${tests.join(' > ') || 'their first test'}`
  })
}

function startProcess(files: readonly string[], env: NodeJS.ProcessEnv): Running {
  const linesFile = join(tmpdir(), `test-process-${++started}.jsonl`)
  const args = [
    ...(files.some(needsOwnProcess) ? [] : HEAP_FLAGS),
    `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
    `--test-reporter-destination=${linesFile}`,
    join(import.meta.dirname, 'files.ts'),
    costsFileOf(linesFile),
    ...files,
  ]
  // With a group of its own it is killed together with the programs that it has started.
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const one = { files, child, linesFile }
  running.add(one)
  return one
}

const costsFileOf = (linesFile: string): string => `${linesFile}.costs`

function kill(one: Running, reason: string): void {
  one.killedFor ??= `it was killed ${reason}`
  killGroup(one.child)
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it runs any more.
  }
}

/** How it ended, unless its last line says so: 1 is the code after a failed test. */
function endingOf(code: number | null, reason: string | null): string | undefined {
  if (reason !== null) return reason
  return code === 0 || code === STILL_OPEN ? undefined : `the process ended with exit code ${code}`
}

function resultsOf(
  files: readonly string[],
  lines: readonly Line[],
  { costs, ending }: { costs: readonly number[]; ending: string | undefined },
): Omit<FileResult, 'output' | 'isLeftOpen'>[] {
  const strayed = lines.filter((line) => line.kind === 'strayed').map(({ text }) => text)
  const parts = splitByFile(
    files,
    lines.filter((line) => line.kind !== 'strayed'),
  )
  const isTold = parts.some((part) => outcomeOf(part) !== 'passed')
  return files.map((file, i) => {
    const part = parts[i]!
    const ended = part.filter((line) => line.kind === 'ended')
    const failures = ended.flatMap(({ failure }) => failure ?? [])
    if (outcomeOf(part) === undefined) failures.push(describeUnfinished(part, ending))
    else if (ending !== undefined && !isTold) failures.push([ending, ...strayed].join('\n'))
    const ms = ended.at(-1)?.ms ?? 0
    return { file, ms, cpuSeconds: costs[i] ?? 0, count: countOf(ended), failures }
  })
}

/** What each file has reported: all up to the end of the file's own test. */
function splitByFile(files: readonly string[], lines: readonly TestLine[]): TestLine[][] {
  let at = 0
  return files.map(() => {
    const length = lines.slice(at).findIndex((line) => isEndOfFile(line)) + 1
    const part = lines.slice(at, length === 0 ? lines.length : at + length)
    at += part.length
    return part
  })
}

function isEndOfFile(line: TestLine): boolean {
  return line.kind === 'ended' && line.nesting === 0
}

/** Nothing when the process ended before the file did. */
function outcomeOf(part: readonly TestLine[]): Outcome | undefined {
  const last = part.at(-1)
  return last?.kind === 'ended' && isEndOfFile(last) ? last.outcome : undefined
}

function describeUnfinished(part: readonly TestLine[], ending = 'the process ended'): string {
  return `${ending} while this ran: ${unfinished(part).join(' > ') || 'its first test'}`
}

/** The names of the tests that have begun and not ended, outermost first. */
function unfinished(lines: readonly Line[]): string[] {
  const names: string[] = []
  for (const line of lines) {
    if (line.kind === 'strayed') continue
    names.length = line.nesting
    if (line.kind === 'began') names.push(line.name)
  }
  return names
}

function countOf(ended: readonly Ended[]): Record<Outcome, number> {
  const tests = ended.filter(({ nesting, isSuite }) => nesting > 0 && !isSuite)
  const count = (outcome: Outcome) => tests.filter((one) => one.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}

function readLines(file: string): Line[] {
  const complete = readText(file).split('\n').slice(0, -1)
  return complete.map((line) => JSON.parse(line))
}

/** Nothing when the process ended before it wrote any. */
function readText(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
