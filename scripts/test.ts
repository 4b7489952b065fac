// `npm test`: the static checks and every test, by `node --test`. Arguments narrow the run to files with one of them in
// their path: `npm test -- src/storage`. TEST_LONG=1 runs random tests in full length: `npm run test:long`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { LONG } from '../test/effort.ts'
import { PACE, patient } from '../test/patience.ts'
import { globalSetup, globalTeardown } from '../test/setup.ts'

const MINUTE_MS = 60_000
/** A test file that takes longer hangs: the longest takes one minute on a quiet machine. */
const FILE_LIMIT_MS = patient((LONG ? 10 : 2) * MINUTE_MS)
/** CI ends a run after 90 minutes and says nothing about what was running. */
const MAX_RUN_MINUTES = 80
const RUN_LIMIT_MINUTES = LONG
  ? Math.ceil(600 * PACE.run)
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

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const only = process.argv.slice(2)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
  .sort()
if (files.length === 0) {
  console.error(`no test file has ${only.join(' or ')} in its path`)
  process.exit(1)
}

if (hasMemoryDirectory()) process.env.TMPDIR = MEMORY_DIRECTORY
const groups = groupsOf(files)
const runs: ChildProcess[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupt(`by ${signal}`))
}
await globalSetup()
const flags = ['--test', `--test-concurrency=${CONCURRENCY}`, '--test-force-exit']
runs.push(start(...flags, ...groups.map(entryOf)))
if (only.length === 0) runs.push(start('scripts/check.ts'))
setTimeout(() => interrupt(`after ${RUN_LIMIT_MINUTES} minutes`), RUN_LIMIT_MINUTES * MINUTE_MS)
const codes = await Promise.all(runs.map(ended))
if (codes[1]) console.log('\nFAILED: npm run check; its output is above')
await globalTeardown()
process.exit(codes.every((code) => code === 0) ? 0 : 1)

/** Files that share a process: neighbours are in different groups, because they are often of one kind. */
function groupsOf(all: readonly string[]): string[][] {
  const single = all.filter((file) => NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8')))
  const shared = all.filter((file) => !single.includes(file))
  const count = Math.max(Math.ceil(shared.length / FILES_PER_PROCESS), CONCURRENCY)
  const groups = Array.from({ length: count }, (_, i) => shared.filter((_, j) => j % count === i))
  return [...groups.filter((group) => group.length > 0), ...single.map((file) => [file])]
}

/** Writes what `node --test` runs for a group: a file that imports one test file after the other. */
function entryOf(group: readonly string[], index: number): string {
  const directory = join(tmpdir(), 'groups')
  mkdirSync(directory, { recursive: true })
  const path = join(directory, nameOf(index))
  const urls = group.map((file) => [file, pathToFileURL(file).href])
  writeFileSync(
    path,
    `import { test } from 'node:test'
// A process without open handles ends while a test waits for an unreferenced timer, and counts as passed.
setInterval(() => {}, 1e6)
for (const [file, url] of ${JSON.stringify(urls)}) {
  test(file, { timeout: ${FILE_LIMIT_MS} }, () => import(url))
}
`,
  )
  return path
}

function nameOf(index: number): string {
  return `group-${String(index).padStart(2, '0')}.mjs`
}

/** With a process group of its own it is ended together with the programs that its tests have started. */
function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: 'inherit', detached: true })
}

async function ended(run: ChildProcess): Promise<number | null> {
  const [code] = await once(run, 'exit')
  endGroup(run)
  return code
}

/** `node --test` then names the groups that are running. */
function interrupt(reason: string): void {
  if (runs.length === 0) process.exit(1)
  console.log(`\nThe run is ended ${reason}. Its groups are:`)
  for (const [i, group] of groups.entries()) console.log(`  ${nameOf(i)}: ${group.join(', ')}`)
  for (const run of runs) run.kill('SIGINT')
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it runs any more.
  }
}

/** Tests create thousands of files, which is faster in memory than on a disk. */
function hasMemoryDirectory(): boolean {
  if (!existsSync(MEMORY_DIRECTORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY_DIRECTORY)
  return bavail * bsize > MEMORY_BYTES
}
