// Runs a file of this project with the pinned Node, whatever Node called us. Plain JavaScript that
// any Node >= 20 understands: it installs what package-lock.json names when that is missing.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

// Garbage here is short-lived: a small young generation costs little time and spares much memory.
const FLAGS = ['--max-semi-space-size=8']
const ENVIRONMENT = {
  // glibc keeps memory for each thread apart unless told otherwise, and gives little of it back.
  MALLOC_ARENA_MAX: '2',
  // Sources are compiled once, not at every start.
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
}
const [script, ...args] = process.argv.slice(2)

if (!installed()) install()
runPinned()

/** True when every locked package is in node_modules in its locked version. */
function installed() {
  const locked = readPackages('package-lock.json')
  const present = readPackages('node_modules/.package-lock.json')
  return Object.entries(locked).every(
    ([path, entry]) => path === '' || entry.optional || present[path]?.version === entry.version,
  )
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return {}
  }
}

function install() {
  console.error('Installing the locked dependencies (once) ...')
  const result = spawnSync('npm', ['ci', '--no-progress', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) {
    console.error('npm ci failed; nothing was started.')
    process.exit(result.status ?? 1)
  }
}

function runPinned() {
  const node = join(root, 'node_modules', 'node', 'bin', 'node')
  const child = spawn(node, [...FLAGS, join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...ENVIRONMENT, ...process.env },
  })
  // A signal sent to the group reaches the child by itself; one sent to us alone is passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT']) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => {
    console.error(
      `Could not start the pinned Node: ${error.message}. Remove node_modules and retry.`,
    )
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
