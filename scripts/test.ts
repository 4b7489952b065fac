// `npm test`: the static checks and every test, with a PostgreSQL of our own for the suites that
// run on both engines. Arguments narrow the run: `npm test -- src/storage`. TEST_LONG=1 makes random
// tests go all the way: `npm run test:long`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { LONG } from '../test/effort.ts'
import { startPostgres } from '../test/postgres.ts'

/** A test that takes longer hangs. */
const TEST_TIMEOUT_MS = LONG ? 1_800_000 : 240_000
/** Tests that wait most of the time leave a processor to another file. */
const FILES_AT_A_TIME = availableParallelism() + 1
/** Started first, longest first, so that no long file is left at the end. */
const LONG_FILES = [
  'start',
  'crash',
  'pages-browser',
  'docs',
  'badges',
  'chain-random',
  'leader-processes',
  'postgres-replicas',
  'channels-fuzz',
  'verify',
  'dev-chain',
  'postgres-processes',
].map((name) => `test/${name}.test.ts`)
/** A process takes about half a second to load what tests need, so files of short tests share one. */
const FILES_IN_A_PROCESS = 12
/** Hooks of a whole file, mocked timers, databases and nodes of chains need a process of their own. */
const NEEDS_OWN_PROCESS =
  /^(?:before|after)(?:Each)?\(|mock\.timers|createDatabase|startAnvil|DATABASE_URL/m
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
const limits = [`--test-timeout=${TEST_TIMEOUT_MS}`, `--test-concurrency=${FILES_AT_A_TIME}`]
const isWhole = only.length === 0
const [isTested, isChecked] = await Promise.all([
  run('--test', ...limits, ...(isWhole ? inOrder(files) : files)),
  isWhole ? run('scripts/check.ts') : true,
])
if (!isChecked) console.error('npm run check fails; its output is above')
await postgres.stop()
process.exit(isTested && isChecked ? 0 : 1)

/** The files in the order in which they start, short ones joined. */
function inOrder(all: readonly string[]): string[] {
  const long = LONG_FILES.filter((file) => all.includes(file))
  const others = all.filter((file) => !long.includes(file))
  const joined = others.filter(mayShareProcess)
  const single = others.filter((file) => !joined.includes(file))
  return [...long, ...joinFiles(joined), ...single]
}

function mayShareProcess(file: string): boolean {
  return file.startsWith('src/') && !NEEDS_OWN_PROCESS.test(readFileSync(join(root, file), 'utf8'))
}

/** Writes files that import several test files each. */
function joinFiles(tests: readonly string[]): string[] {
  const groups = Object.groupBy(tests, (_, i) => i % Math.ceil(tests.length / FILES_IN_A_PROCESS))
  return Object.entries(groups).map(([number, group = []]) => {
    const file = join(process.env.TMPDIR!, `joined-${number}.test.mjs`)
    const imports = group.map((test) => `import ${JSON.stringify(pathToFileURL(join(root, test)))}`)
    writeFileSync(file, imports.join('\n'))
    return file
  })
}

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
