// `npm test`: the static checks, then every test, with a PostgreSQL of our own for the suites that
// run on both engines. Arguments narrow the run: `npm test -- src/storage`. TEST_LONG=1 makes random
// tests go all the way: `npm run test:long`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LONG } from '../test/effort.ts'
import { startPostgres } from '../test/postgres.ts'

/** A test that takes longer hangs. */
const TEST_TIMEOUT_MS = LONG ? 1_800_000 : 240_000
/** Where Linux keeps files in memory, and what must be free there for the files of all tests. */
const MEMORY_DIR = '/dev/shm'
const MEMORY_BYTES = 4 * 1024 ** 3

const root = fileURLToPath(new URL('..', import.meta.url))
const only = process.argv.slice(2)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
  .filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
  .sort()
if (files.length === 0) {
  // Without files the runner would look for its own, and run everything that looks like a test.
  console.error(`no test file has ${only.join(' or ')} in its path`)
  process.exit(1)
}

process.env.TMPDIR = makeTemporaryDir()
const postgres = await startPostgres({ flushes: false })
const limits = [`--test-timeout=${TEST_TIMEOUT_MS}`, `--test-concurrency=${availableParallelism()}`]
let failed = only.length === 0 && !(await run('scripts/check.ts'))
failed = !(await run('--test', ...limits, ...files)) || failed
await postgres.stop()
process.exit(failed ? 1 : 0)

/** Waits without blocking the event loop: PostgreSQL would stop when its log is not read. */
async function run(...args: string[]): Promise<boolean> {
  const env = { ...process.env, TEST_DATABASE_URL: postgres.url, NODE_ENV: 'test' }
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  const [code] = await once(child, 'exit')
  return code === 0
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
