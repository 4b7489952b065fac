// `npm test`: the static checks, then every test, with a PostgreSQL of our own for the suites that
// run on both engines. Arguments narrow the run: `npm test -- src/storage`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../test/postgres.ts'

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

const postgres = await startPostgres()
let failed = only.length === 0 && !(await run('scripts/check.ts'))
failed = !(await run('--test', '--test-timeout=240000', ...files)) || failed
await postgres.stop()
process.exit(failed ? 1 : 0)

/** Waits without standing still: a PostgreSQL whose log nobody reads stops at the next line of it. */
async function run(...args: string[]): Promise<boolean> {
  const env = { ...process.env, TEST_DATABASE_URL: postgres.url, NODE_ENV: 'test' }
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  const [code] = await once(child, 'exit')
  return code === 0
}
