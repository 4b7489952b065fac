// Runs a file of this project with the Node that package-lock.json pins, not with the Node that started this script.
// Plain JavaScript that every Node from 20 on understands.
//
// `start` installs the locked packages that the program needs when some are missing, and the scripts of a developer
// install all of them. Every other command, `serve` above all, installs nothing and says what is missing. So an image can
// be small, read-only and offline.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const PROGRAM = 'src/main.ts'

const FLAGS = [
  // Submits of many connections are alive while they wait for the disk. A young generation that holds fewer of them moves
  // them to the old one, and collecting that took twice as much time as everything else that is collected.
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  // What belongs to a batch of submits outlives the young generation. The whole heap is collected when it has grown
  // by this share, not when it has doubled or more: 360 MB at most under submits where 450 to 500 were used.
  '--heap-growing-percent=60',
  // A collection of the whole heap moves what is left on sparsely used pages together. Otherwise texts that were evicted
  // leave gaps: 75 MB of pages with 45 MB in use.
  '--memory-saver-mode',
  // A thread that has nothing to do gives memory back: see src/kernel/base/idle-memory.ts.
  '--expose-gc',
]
const ENVIRONMENT = {
  // By default glibc keeps a memory arena for each thread and rarely gives memory back.
  MALLOC_ARENA_MAX: '2',
  // Blocks of at least so many bytes go back to the system when they are freed. Pages of 100 casts and bulk submits are
  // larger; the buffers of 64 KiB that sockets are read into are smaller. By default the bound grows with what is freed,
  // and most of the memory of large answers stays.
  MALLOC_MMAP_THRESHOLD_: '70000',
  // Compiled sources are kept between starts.
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
}
/** How a program ends whose libraries are not found. */
const NO_LIBRARY = 127
const PROGRESS_MS = 1_000
const NAMES_SHOWN = 5

const [script, ...args] = process.argv.slice(2)
const isProgram = script === PROGRAM
const mayInstall = !isProgram || args[0] === 'start'
/** The optional package is a chain for development, which is a quarter of the download. */
const needsOptional = !isProgram || args.includes('anvil')
const INSTALL = ['ci', '--no-progress', '--loglevel=error']
if (isProgram) INSTALL.push('--omit=dev')
if (!needsOptional) INSTALL.push('--omit=optional')
const DOWNLOAD = isProgram
  ? 'about 85 MB, or 110 MB with a chain, needs about 400 MB of disk and takes half a minute to 2 minutes'
  : 'about 300 MB, needs about 900 MB of disk and takes 1 to 5 minutes'

const missing = missingPackages()
if (missing.length > 0 && !mayInstall) explainMissing(missing)
else if (missing.length > 0) install(missing.length)
else runPinned()

/**
 * Paths of the packages that this command needs and that are absent or have another version. The program
 * itself needs no development packages.
 */
function missingPackages() {
  const present = readPackages('node_modules/.package-lock.json')
  return Object.entries(neededPackages())
    .filter(([path, { version }]) => present[path]?.version !== version)
    .map(([path]) => path)
}

function neededPackages() {
  const locked = Object.entries(readPackages('package-lock.json'))
  return Object.fromEntries(
    locked.filter(([path, { optional, dev, devOptional, os, cpu }]) => {
      if (path === '') return false
      if (isProgram && (dev || devOptional)) return false
      return !optional || (isProgram && needsOptional && fits(os, cpu))
    }),
  )
}

/** Whether a package has binaries for this machine. */
function fits(os, cpu) {
  return os?.includes(process.platform) && cpu?.includes(process.arch)
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return {}
  }
}

function explainMissing(paths) {
  const names = paths.slice(0, NAMES_SHOWN).map((path) => path.replace(/^node_modules\//, ''))
  const more = paths.length > NAMES_SHOWN ? ` and ${paths.length - NAMES_SHOWN} more` : ''
  fail(
    `rookery: these packages are missing or have another version than package-lock.json: ${names.join(', ')}${more}.\n` +
      `Only "npm start" installs packages by itself. Run "npm ci --omit=dev" in ${root} first.`,
  )
}

/** As src/cli/json-log.ts does it: a server without a terminal prints JSON. */
function fail(text) {
  const isLogged = isProgram && args[0] === 'serve' && !process.stdout.isTTY
  if (isLogged) console.log(JSON.stringify({ level: 60, time: Date.now(), msg: text }))
  else console.error(text)
  process.exit(1)
}

/** Installs what is locked for the command and then runs it. */
function install(missingCount) {
  console.error(
    `Installing the locked packages (${missingCount} are missing). This happens once; it downloads\n` +
      `${DOWNLOAD} on a usual connection.`,
  )
  const npm = spawn('npm', INSTALL, {
    cwd: root,
    // Standard output is the command's own.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  const endProgress = showProgress()
  npm.on('error', (error) => {
    endProgress()
    console.error(`npm could not be run: ${error.message}. Nothing was started.`)
    process.exit(1)
  })
  npm.on('exit', (code) => {
    endProgress()
    if (code !== 0) {
      console.error('npm ci failed. Nothing was started.')
      process.exit(code ?? 1)
    }
    console.error('Installed.')
    runPinned()
  })
}

/** Reports how many packages are unpacked: in place on a terminal, otherwise a line for each quarter. */
function showProgress() {
  const paths = Object.keys(neededPackages())
  let quarter = 0
  const timer = setInterval(() => {
    const done = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
    const text = `  ${done} of ${paths.length} packages`
    if (process.stderr.isTTY) process.stderr.write(`\r${text} `)
    else if (Math.floor((4 * done) / paths.length) > quarter) {
      quarter = Math.floor((4 * done) / paths.length)
      console.error(text)
    }
  }, PROGRESS_MS)
  return () => {
    clearInterval(timer)
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  }
}

function runPinned() {
  const node = join(root, 'node_modules', 'node', 'bin', 'node')
  const child = spawn(node, [...FLAGS, join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...ENVIRONMENT, ...process.env },
  })
  // A terminal sends a signal to the whole process group. One that was sent to this process alone, as npm
  // and supervisors do, is passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT']) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => {
    fail(`Could not start the pinned Node: ${error.message}. Remove node_modules and retry.`)
  })
  child.on('exit', (code, signal) => {
    if (code === NO_LIBRARY) {
      console.error('The pinned Node lacks the library above. On Debian: apt install libatomic1')
    }
    process.exit(signal ? 1 : (code ?? 1))
  })
}
