// `npm test`: the static checks and every test, by `node --test`. Arguments narrow the run to files with one of them in
// their path: `npm test -- src/kernel`. With --changed it runs what depends on changes since main. TEST_LONG=1 runs random tests in full length (`npm run test:long`), TEST_STRESS=1
// runs busy loops beside the tests (`npm run test:stress`).
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LONG, STRESS_LOOPS } from '../test/effort.ts'
import { PACE, patient, processorSlowness } from '../test/patience.ts'
import { globalSetup, globalTeardown } from '../test/setup.ts'
import { changedPaths, readCode, testsOf } from './changed-tests.ts'
import { judge, processorSeconds } from './processor-time.ts'
import { makeNotes, tryStatements } from './statements.ts'
import {
  endOf,
  type FileReport,
  filesWithoutTests,
  nameOf,
  runGroups,
  startNode,
} from './test-run.ts'
import './whole-output.ts'

const MINUTE_MS = 60_000
/** A test file that takes longer hangs: the longest takes four minutes on a quiet machine. */
const FILE_LIMIT_MS = patient((LONG ? 10 : 4) * MINUTE_MS)
/** CI ends a run after 90 minutes and says nothing about what was running. */
const MAX_RUN_MINUTES = 80
/** More than any long run takes, and a delay that a timer can have: on a busy machine the pace alone asks for months. */
const MAX_LONG_RUN_MINUTES = 2 * 24 * 60
const RUN_LIMIT_MINUTES = LONG
  ? Math.ceil(Math.min(600 * PACE.run, MAX_LONG_RUN_MINUTES))
  : Math.ceil(Math.min(45 * PACE.run, MAX_RUN_MINUTES))
/** Three more than processors, because tests also wait. With six more they took a tenth more CPU time. */
const CONCURRENCY = availableParallelism() + 3
/** To load the modules of the tests takes 0.6 s of CPU time in each process. */
const FILES_PER_PROCESS = 12
/** Tests that measure their process or replace its timers. */
const NEEDS_OWN_PROCESS = /process\.(?:memoryUsage|cpuUsage|threadCpuUsage)|\bgc\(|mock\.timers/
/** Where Linux keeps files in memory, and what must be free there for the files of all tests. */
const MEMORY_DIRECTORY = '/dev/shm'
const MEMORY_BYTES = 4 * 1024 ** 3
const SLOWEST_FILES = 10
/** The processor time of a whole run on the usual machine, which a run compares its own with. */
const KEPT_TIME = 'test/processor-time.json'
/** What each file took in the last run. */
const TIMES = 'node_modules/.cache/test-times.json'
const CHANGED = '--changed'
/** A busy loop ends with the run that started it, also when that is killed. */
const BUSY_LOOP = 'const run = process.ppid; while (process.ppid === run);'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const [options, only] = [true, false].map((isOption) =>
  process.argv.slice(2).filter((argument) => argument.startsWith('-') === isOption),
) as [string[], string[]]
const unknown = options.find((option) => option !== CHANGED)
if (unknown) refuse(`${unknown} is no option of the tests: the only one is ${CHANGED}`)
const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const dependent = options.length > 0 ? testsOf(changedPaths(), all, readCode()) : all
const files = dependent.filter(
  (file) => only.length === 0 || only.some((part) => file.includes(part)),
)
if (files.length === 0) refuse(`no test file to run has ${only.join(' or ')} in its path`)
if (options.length > 0)
  console.log(`${files.length} of ${all.length} test files depend on what has changed.`)

const begun = performance.now()
const slownessAtBegin = processorSlowness()
if (hasMemoryDirectory()) process.env.TMPDIR = MEMORY_DIRECTORY
const groups = groupsOf(files)
const children: ChildProcess[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupt(`by ${signal}`))
}
const loops = Array.from({ length: STRESS_LOOPS }, () =>
  spawn(process.execPath, ['--eval', BUSY_LOOP], { stdio: 'ignore' }),
)
await globalSetup()
const notes = makeNotes(join(tmpdir(), 'statements'))
process.env.TEST_STATEMENTS = notes
const run = runGroups(groups, {
  directory: join(tmpdir(), 'groups'),
  concurrency: CONCURRENCY,
  fileLimitMs: FILE_LIMIT_MS,
})
children.push(run.child)
const checks = only.length === 0 ? startNode(['scripts/check.ts']) : undefined
if (checks) children.push(checks)
setTimeout(() => interrupt(`after ${RUN_LIMIT_MINUTES} minutes`), RUN_LIMIT_MINUTES * MINUTE_MS)
const [{ code, files: reports }, checked] = await Promise.all([
  run.ended,
  checks ? endOf(checks) : 0,
])
const { tried, refused } = await tryStatements(notes)
const shared = await globalTeardown()
printTimes(reports, shared)
// Before they count as children that have ended.
for (const loop of loops) loop.kill()
const without = filesWithoutTests(files, reports)
if (without.length > 0) console.log(`\nFAILED: no test was run in ${without.join(', ')}`)
for (const one of refused) console.log(`\nFAILED: a statement runs on one engine alone. ${one}`)
const triedNone = isUsualRun() && tried === 0
if (triedNone) console.log('\nFAILED: no statement was tried on the other engine')
if (checked !== 0) console.log('\nFAILED: npm run check; its output is above')
const failures = [code, checked, without.length, refused.length, Number(triedNone)]
process.exit(failures.every((one) => one === 0) ? 0 : 1)

/** Files that share a process: neighbours are in different groups, because they are often of one kind. */
function groupsOf(all: readonly string[]): string[][] {
  const single = all.filter((file) => NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8')))
  const shared = all.filter((file) => !single.includes(file))
  const count = Math.max(Math.ceil(shared.length / FILES_PER_PROCESS), CONCURRENCY)
  const dealt = Array.from({ length: count }, (_, i) => shared.filter((_, j) => j % count === i))
  return [...dealt.filter((group) => group.length > 0), ...single.map((file) => [file])]
}

/** `node --test` then names the groups that are running. */
function interrupt(reason: string): void {
  if (children.length === 0) process.exit(1)
  console.log(`\nThe run is ended ${reason}. Its groups are:`)
  for (const [i, group] of groups.entries()) console.log(`  ${nameOf(i)}: ${group.join(', ')}`)
  for (const child of children) child.kill('SIGINT')
}

function refuse(reason: string): never {
  console.error(reason)
  process.exit(1)
}

function printTimes(
  reported: readonly FileReport[],
  { browser, postgresSeconds }: Awaited<ReturnType<typeof globalTeardown>>,
): void {
  const sorted = [...reported].sort((a, b) => b.ms - a.ms)
  mkdirSync(dirname(TIMES), { recursive: true })
  writeFileSync(TIMES, JSON.stringify(sorted, null, 1))
  const slowest = sorted.slice(0, SLOWEST_FILES)
  console.log('\nThe slowest files, in seconds of the clock and of processor time:')
  for (const { file, ms, seconds } of slowest) {
    const processor = seconds === undefined ? '' : seconds.toFixed(1)
    console.log(`${(ms / 1_000).toFixed(1).padStart(8)}${processor.padStart(8)}  ${file}`)
  }
  const wall = (performance.now() - begun) / MINUTE_MS
  const own = processorSeconds()
  const processor = own === undefined ? undefined : own + browser.uncountedSeconds
  const ofFiles = reported.reduce((sum, { seconds = 0 }) => sum + seconds, 0)
  const inMinutes = (seconds: number) => (seconds / 60).toFixed(1)
  const spent =
    processor === undefined
      ? ''
      : `, ${inMinutes(processor)} of processor time: ${inMinutes(ofFiles)} in test files, ${inMinutes(browser.seconds)} in the browser, ${inMinutes(postgresSeconds)} in PostgreSQL`
  console.log(`The run took ${wall.toFixed(1)} minutes${spent}.`)
  if (processor !== undefined && isUsualRun()) printChange(processor)
}

/** A run that is comparable with the time that is kept. */
function isUsualRun(): boolean {
  return files.length === all.length && !LONG && STRESS_LOOPS === 0 && !process.env.TEST_ENGINES
}

/** The speed of many machines changes while they work: it is measured when a run begins and ends. */
function printChange(processor: number): void {
  const { seconds } = JSON.parse(readFileSync(KEPT_TIME, 'utf8')) as { seconds: number }
  const slowness = (slownessAtBegin + processorSlowness()) / 2
  const said = judge(processor / slowness, seconds, KEPT_TIME)
  if (said !== undefined) console.log(`\n${said}`)
}

/** Tests create thousands of files, which is faster in memory than on a disk. */
function hasMemoryDirectory(): boolean {
  if (!existsSync(MEMORY_DIRECTORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY_DIRECTORY)
  return bavail * bsize > MEMORY_BYTES
}
