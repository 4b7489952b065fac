// One run of `node --test` over groups of test files that share a process, and what it reports of each file.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { FileTime } from './processor-time.ts'
import type { FileReport as Reported } from './test-report.ts'

const REPORTER = fileURLToPath(new URL('test-report.ts', import.meta.url))
const METER = new URL('processor-time.ts', import.meta.url).href
const WHOLE_OUTPUT = new URL('whole-output.ts', import.meta.url).href
/** Loaded in every process and its threads. */
const LOADED = ['bundled-threads.mjs', 'statements.ts'].map(
  (name) => new URL(`../test/${name}`, import.meta.url).href,
)

export type FileReport = Reported & {
  /** Processor time; unknown where the system does not tell it, and of a process that was killed. */
  readonly seconds?: number | undefined
}

export type Settings = {
  /** Where the entries of the groups and the report are written. */
  readonly directory: string
  readonly concurrency: number
  /** A file that takes longer has failed. */
  readonly fileLimitMs: number
  readonly output?: 'inherit' | 'ignore'
}

export type Run = {
  readonly child: ChildProcess
  /** Resolves when every process has ended. */
  readonly ended: Promise<{ code: number | null; files: readonly FileReport[] }>
}

/** Starts the groups. With a process group of its own the run is ended together with the programs that its tests have started. */
export function runGroups(groups: readonly (readonly string[])[], settings: Settings): Run {
  const { directory, concurrency, output = 'inherit' } = settings
  mkdirSync(directory, { recursive: true })
  const report = join(directory, 'report.jsonl')
  const times = join(directory, 'times.jsonl')
  for (const file of [report, times]) writeFileSync(file, '')
  const flags = [
    ...['--test', `--test-concurrency=${concurrency}`, '--test-force-exit'],
    ...LOADED.map((url) => `--import=${url}`),
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${report}`],
  ]
  const entries = groups.map((group, i) =>
    entryOf(group, join(directory, nameOf(i)), times, settings.fileLimitMs),
  )
  const child = startNode([...flags, ...entries], output)
  const ended = endOf(child).then((code) => ({ code, files: readReports(report, times) }))
  return { child, ended }
}

/** Files that ended, or were never begun, without one test: their process may have ended early without an error. */
export function filesWithoutTests(
  files: readonly string[],
  reports: readonly FileReport[],
): string[] {
  const tests = new Map(reports.map((report) => [report.file, report.tests]))
  return files.filter((file) => !tests.get(file))
}

export function nameOf(index: number): string {
  return `group-${String(index).padStart(2, '0')}.mjs`
}

export function startNode(
  args: readonly string[],
  stdio: 'inherit' | 'ignore' = 'inherit',
): ChildProcess {
  // With this variable `node --test` takes itself for a test file and runs nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawn(process.execPath, args, { stdio, detached: true, env })
}

/** The exit code, once nothing of the process group runs any more. */
export async function endOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'exit')
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nothing of it runs any more.
  }
  return code
}

/** Writes what `node --test` runs for a group: a file that imports one test file after the other. */
function entryOf(group: readonly string[], path: string, times: string, limitMs: number): string {
  const urls = group.map((file) => [file, pathToFileURL(file).href])
  writeFileSync(
    path,
    `import { test } from 'node:test'
import '${WHOLE_OUTPUT}'
import { meterFiles } from '${METER}'
const begin = meterFiles(${JSON.stringify(times)})
// A process without open handles ends while a test waits for an unreferenced timer, and counts as passed.
setInterval(() => {}, 1e6)
for (const [file, url] of ${JSON.stringify(urls)}) {
  test(file, { timeout: ${limitMs} }, () => {
    begin(file)
    return import(url)
  })
}
`,
  )
  return path
}

function readReports(report: string, times: string): FileReport[] {
  const seconds = new Map(readLines<FileTime>(times).map((one) => [one.file, one.seconds]))
  return readLines<Reported>(report).map((one) => ({ ...one, seconds: seconds.get(one.file) }))
}

function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T)
}
