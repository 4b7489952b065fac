// `npm test`: the static checks and every test, with a PostgreSQL of our own for the suites that
// run on both engines. Arguments narrow the run: `npm test -- src/storage`. TEST_LONG=1 makes random
// tests go all the way: `npm run test:long`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../test/postgres.ts'
import type { FileResult } from './test-run/file-result.ts'
import { RUN_LIMIT_MS } from './test-run/limits.ts'
import { planFiles } from './test-run/plan.ts'
import { describeRunning, killAll, runProcess } from './test-run/process.ts'
import { bundleProgram } from './test-run/program.ts'
import { hasPassed, printFile, printLeftOpen, printSummary } from './test-run/report.ts'

/**
 * Tests that wait leave their processor to another file. With three more than processors none is idle; with six more the
 * same tests took a tenth more of the processors' time, because they share their caches.
 */
const PROCESSES_AT_A_TIME = availableParallelism() + 3
/** More failed files than this have a common reason, which a second try does not remove. */
const MAX_RUN_AGAIN = 20
/** Where Linux keeps files in memory, and what must be free there for the files of all tests. */
const MEMORY_DIR = '/dev/shm'
const MEMORY_BYTES = 4 * 1024 ** 3

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
const only = process.argv.slice(2)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
  .sort()
if (files.length === 0) {
  console.error(`no test file has ${only.join(' or ')} in its path`)
  process.exit(1)
}

const began = performance.now()
process.env.TMPDIR = makeTemporaryDir()
const [postgres, program] = await Promise.all([
  startPostgres({ flushes: false }),
  bundleProgram(root, join(process.env.TMPDIR, 'program')),
])
const env = {
  ...process.env,
  TEST_DATABASE_URL: postgres.url,
  TEST_PROGRAM: program,
  NODE_ENV: 'test',
}
let isCutShort = false
setTimeout(() => cutShort(`after ${RUN_LIMIT_MS / 60_000} minutes`), RUN_LIMIT_MS).unref()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => cutShort(`by ${signal}`))
}

/** The last result of each file. */
const results = new Map<string, FileResult>()
const isWhole = only.length === 0
const isChecked = await runAll()
const failed = [...results.values()].filter((result) => !hasPassed(result))
const again = await runAgain(failed.map(({ file }) => file))
await postgres.stop()

const unstable = again.filter(hasPassed).map(({ file }) => file)
const failures = again.length === 0 ? failed : again.filter((result) => !hasPassed(result))
const seconds = (performance.now() - began) / 1000
printSummary({ results: [...results.values()], failures, unstable, seconds })
if (!isChecked) console.log('FAILED: npm run check; its output is above')
if (isCutShort) console.log('FAILED: the run was ended before every test had run')
process.exit(isChecked && !isCutShort && failures.length === 0 ? 0 : 1)

/** Runs all files, and with a whole run the static checks. Says whether those pass. */
async function runAll(): Promise<boolean> {
  let isGood = true
  const { single, shared } = planFiles(files)
  const jobs = single.map((file) => () => runOne(file))
  if (isWhole) {
    jobs.unshift(async () => {
      isGood = await runChecks()
    })
  }
  const waiting = [...shared]
  const work = async () => {
    for (let job = jobs.shift(); job && !isCutShort; job = jobs.shift()) await job()
    while (waiting.length > 0 && !isCutShort) await runMany(() => waiting.shift())
  }
  await Promise.all(Array.from({ length: PROCESSES_AT_A_TIME }, work))
  return isGood
}

/** Runs a file in a process of its own. */
async function runOne(file: string): Promise<void> {
  const waiting = [file]
  await runMany(() => waiting.shift(), true)
}

async function runMany(takeFile: () => string | undefined, isMeasured = false): Promise<void> {
  const report = (result: FileResult) => {
    results.set(result.file, result)
    printFile(result)
  }
  const { leftOpen } = await runProcess({
    takeFile: () => (isCutShort ? undefined : takeFile()),
    report,
    env,
    isMeasured,
  })
  if (leftOpen.length > 0) printLeftOpen(leftOpen)
}

/** Other tests or programs may have disturbed a file that failed, so it runs once more, alone. */
async function runAgain(failedFiles: readonly string[]): Promise<FileResult[]> {
  if (failedFiles.length > MAX_RUN_AGAIN) {
    console.log(`${failedFiles.length} files failed: too many to run them again`)
    return []
  }
  for (const file of failedFiles) {
    if (isCutShort) return []
    console.log(`${file} failed and runs once more, alone`)
    await runOne(file)
  }
  return failedFiles.map((file) => results.get(file)!)
}

/** Waits without blocking the event loop, which would stop PostgreSQL: its log must be read. */
async function runChecks(): Promise<boolean> {
  const child = spawn(process.execPath, ['scripts/check.ts'], { stdio: 'inherit', env })
  process.once('exit', () => child.kill())
  const [code] = await once(child, 'exit')
  return code === 0
}

/** What was running is said, so that it can be found out what hangs. */
function cutShort(reason: string): void {
  isCutShort = true
  console.log(`\nThe run is ended ${reason}. At the moment these run:`)
  for (const line of describeRunning()) console.log(`  ${line}`)
  killAll(`with the run ${reason}`)
}

/** Tests create thousands of files, which is faster in memory than on a disk. */
function makeTemporaryDir(): string {
  const isRoomy = existsSync(MEMORY_DIR) && freeBytes(MEMORY_DIR) > MEMORY_BYTES
  const dir = mkdtempSync(join(isRoomy ? MEMORY_DIR : tmpdir(), 'rookery-test-'))
  chmodSync(dir, 0o755) // PostgreSQL may run as another user than we do
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}
