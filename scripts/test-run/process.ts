// A process of a test run. It runs one file after the other, because what one file has loaded and compiled is
// what the next one needs.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import {
  type FileResult,
  type FileRun,
  hasEnded,
  resultOf,
  strayTexts,
  unfinished,
} from './file-result.ts'
import type { Idle, NextFile } from './files.ts'
import { MAX_RESIDENT_BYTES, PROCESS_LIMIT_MS, STILL_OPEN } from './limits.ts'
import type { Line } from './reporter.ts'

export type Work = {
  /** The next file; nothing when none is left. */
  readonly takeFile: () => string | undefined
  /** Gets each file that has ended, and one of them again when its process ended badly after its last test. */
  readonly report: (result: FileResult) => void
  readonly env: NodeJS.ProcessEnv
  /** Whether its tests measure the process, so that it runs as the program does. */
  readonly isMeasured?: boolean
}
type Running = {
  readonly child: ChildProcess
  readonly ended: FileRun[]
  current?: FileRun | undefined
  limit?: NodeJS.Timeout
  /** Why the process was killed. */
  killedFor?: string
}

/**
 * Tests make much garbage and keep little of it: a large young generation from the start is collected least often.
 * Threads that help to collect it cost more than they gain, because other test processes use every processor.
 */
const HEAP_FLAGS = ['--min-semi-space-size=32', '--max-semi-space-size=32', '--single-threaded-gc']

const running = new Set<Running>()

/** Runs files in one process until none is left or the process is large. Says whether something kept it open. */
export async function runProcess(work: Work): Promise<{ leftOpen: readonly string[] }> {
  const first = work.takeFile()
  if (first === undefined) return { leftOpen: [] }
  const one: Running = { child: startChild(work), ended: [] }
  running.add(one)
  begin(one, first)
  collectOutput(one)
  one.child.on('message', (message: Line | Idle) => onMessage(one, work, message))
  const closed = once(one.child, 'close')
  const [code, signal] = await once(one.child, 'exit')
  killGroup(one.child)
  await closed
  clearTimeout(one.limit)
  running.delete(one)
  reportEnding(one, work, endingOf(code, one.killedFor ?? signal))
  return { leftOpen: code === STILL_OPEN ? one.ended.map(({ file }) => file) : [] }
}

/** Kills every process of the run. */
export function killAll(reason: string): void {
  for (const one of running) kill(one, reason)
}

/** What runs at the moment: the file of each process and the tests that have not ended. */
export function describeRunning(): string[] {
  return [...running].map(({ current, ended }) =>
    current ? `${current.file}: ${unfinished(current)}` : `the end of ${ended.at(-1)?.file}`,
  )
}

function startChild({ env, isMeasured }: Work): ChildProcess {
  const flags = [
    ...(isMeasured ? [] : HEAP_FLAGS),
    `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
  ]
  // With a group of its own it is killed together with the programs that it has started.
  return spawn(process.execPath, [...flags, join(import.meta.dirname, 'files.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  })
}

function begin(one: Running, file: string): void {
  one.current = { file, lines: [], output: '' }
  clearTimeout(one.limit)
  one.limit = setTimeout(() => kill(one, `after ${PROCESS_LIMIT_MS / 1000} s`), PROCESS_LIMIT_MS)
}

function collectOutput(one: Running): void {
  for (const stream of [one.child.stdout!, one.child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => {
      const run = one.current ?? one.ended.at(-1)
      if (run) run.output += text
    })
  }
}

/** The last line of a file and the message that its process is idle come in any order. */
function onMessage(one: Running, work: Work, message: Line | Idle): void {
  const { current } = one
  if (message.kind !== 'idle') (current ?? one.ended.at(-1))?.lines.push(message)
  else if (current?.isSent) current.idle = message
  else if (current) send(one, current)
  if (current?.idle && hasEnded(current)) finish(one, work)
}

function finish(one: Running, { takeFile, report }: Work): void {
  const run = one.current!
  one.ended.push(run)
  report(resultOf(run))
  const isLarge = run.idle!.residentBytes > MAX_RESIDENT_BYTES
  const file = isLarge ? undefined : takeFile()
  if (file === undefined) {
    one.current = undefined
    one.child.send({} satisfies NextFile)
  } else {
    begin(one, file)
    send(one, one.current!)
  }
}

function send(one: Running, run: FileRun): void {
  run.isSent = true
  one.child.send({ file: run.file } satisfies NextFile)
}

/** A process that ends badly fails the file that ran, or the one after which something went wrong. */
function reportEnding(one: Running, { report }: Work, ending: string | undefined): void {
  const { current, ended } = one
  if (current) {
    const failure = `${ending ?? 'the process ended'} while this ran: ${unfinished(current)}`
    report(withFailure(current, failure))
  } else if (ending !== undefined && ended.every((run) => resultOf(run).failures.length === 0)) {
    const blamed = ended.find((run) => strayTexts(run).length > 0) ?? ended.at(-1)!
    report(withFailure(blamed, [ending, ...strayTexts(blamed)].join('\n')))
  }
}

function withFailure(run: FileRun, failure: string): FileResult {
  const result = resultOf(run)
  return { ...result, failures: [...result.failures, failure] }
}

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
