// The commands that README and docs/operating.md name, run by npm as people run them.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { LONG } from './effort.ts'
import { patient } from './patience.ts'
import { createPlace, type Env, ROOT } from './program.ts'

const WAIT_MS = patient(30_000)
const POLL_MS = 50
const MAX_DOWNLOAD_BYTES = 150e6
/** The npm of Debian 13, which asks for more in the lock file than later ones do. */
const OLDEST_NPM = ['exec', '--yes', 'npm@9.2.0', '--']

describe('npm commands', () => {
  for (const [name, args, settings] of [
    ['npm start', ['start'], {}],
    [
      'npm run serve',
      ['run', 'serve'],
      {
        ROOKERY_NETWORK: 'mainnet',
        ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
        ROOKERY_HOST: '127.0.0.1',
      },
    ],
  ] as const) {
    test(`SIGTERM to "${name}" ends the server and frees its port`, async () => {
      const { env, remove } = await createPlace('sqlite')
      const npm = spawnNpm(args, { ...env, ...settings })
      try {
        const port = await listeningPort(npm.child, npm.output)
        npm.child.kill('SIGTERM')
        await waitFor('every process that npm started to end', () => !isGroupAlive(npm.child.pid!))
        await waitFor('the port to be free', async () => !(await isListening(port)))
        assert.match(npm.output.text, /Stopping/)
      } finally {
        killGroup(npm.child.pid!)
        await remove()
      }
    })
  }
})

describe('scripts/run.mjs', () => {
  test('serve without packages says what is missing and never calls npm', async () => {
    const project = fakeProject({ installed: false })
    const { code, output } = await project.run('serve')
    assert.equal(code, 1)
    const { level, msg } = JSON.parse(output)
    assert.equal(level, 60)
    assert.match(msg, /are missing .*: first, node\.\n.*"npm ci --omit=dev"/)
    assert.equal(project.npmCall(), '')
    project.remove()
  })

  test('serve runs with the production packages alone', async () => {
    const project = fakeProject({ installed: true })
    assert.deepEqual(await project.run('serve'), { code: 0, output: 'ran serve\n' })
    assert.equal(project.npmCall(), '')
    project.remove()
  })

  test('start without packages installs what the program needs and says how long that takes', async () => {
    const project = fakeProject({ installed: false })
    const { output } = await project.run('start')
    assert.match(output, /^Installing the locked packages .* are missing.*MB.*minutes/s)
    assert.match(project.npmCall(), /^ci .*--omit=dev --omit=optional$/)
    project.remove()
  })

  test('start with a chain installs the chain too, on platforms that have one', async () => {
    const project = fakeProject({ installed: true })
    const { output } = await project.run('start', '--chain', 'anvil')
    if (process.platform === 'linux' && process.arch === 'x64') {
      assert.match(project.npmCall(), /^ci .*--omit=dev$/)
    } else assert.equal(output, 'ran start\n')
    project.remove()
  })

  test('a script of a developer installs everything', async () => {
    const project = fakeProject({ installed: true })
    await project.runScript('scripts/check.ts')
    assert.doesNotMatch(project.npmCall(), /omit/)
    project.remove()
  })

  test('a machine without a library of the pinned Node is told its package', async () => {
    const project = fakeProject({ installed: true })
    project.put('node_modules/node/bin/node', '#!/bin/sh\nexit 127\n')
    const { code, output } = await project.run('serve')
    assert.equal(code, 127)
    assert.match(output, /apt install libatomic1/)
    project.remove()
  })

  test('the lock file has all that the npm of Debian asks for', async () => {
    const dir = packageFiles()
    const install = spawn('npm', [...OLDEST_NPM, 'ci', '--dry-run', '--loglevel=error'], {
      cwd: dir,
    })
    const output = collect(install)
    const [code] = await once(install, 'close')
    rmSync(dir, { recursive: true })
    assert.equal(code, 0, output.text)
  })

  test('what start downloads is at most 150 MB', {
    skip: !LONG && 'TEST_LONG=1 downloads it',
    timeout: WAIT_MS,
  }, async () => {
    const dir = packageFiles()
    const cache = join(dir, 'cache')
    const args = [...OLDEST_NPM, 'ci', '--omit=dev', '--omit=optional', '--cache', cache]
    const install = spawn('npm', args, { cwd: dir, stdio: 'ignore' })
    assert.deepEqual(await once(install, 'close'), [0, null])
    const files = globSync('**/*', { cwd: join(cache, '_cacache'), withFileTypes: true })
    const bytes = files
      .filter((file) => file.isFile())
      .map((file) => statSync(join(file.parentPath, file.name)).size)
      .reduce((sum, size) => sum + size, 0)
    rmSync(dir, { recursive: true })
    assert.ok(bytes > 50e6 && bytes < MAX_DOWNLOAD_BYTES, `${bytes}`)
  })
})

/** A directory with what npm reads before it installs. */
function packageFiles(): string {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-download-'))
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    cpSync(join(ROOT, name), join(dir, name))
  }
  return dir
}

/** A project of two production packages and a development package, with an `npm` that only notes its call. */
function fakeProject({ installed }: { installed: boolean }) {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-run-'))
  /** A file in place of what was there. */
  const put = (path: string, text: string) => {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    rmSync(join(dir, path), { force: true })
    writeFileSync(join(dir, path), text, { mode: 0o755 })
  }
  const production = {
    'node_modules/first': { version: '1.0.0' },
    'node_modules/node': { version: '1.0.0' },
  }
  const others = {
    'node_modules/tool': { version: '1.0.0', dev: true },
    'node_modules/chain': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'] },
  }
  put('package-lock.json', JSON.stringify({ packages: { '': {}, ...production, ...others } }))
  put('src/main.ts', "console.log('ran ' + process.argv[2])")
  put('bin/npm', `#!/bin/sh\necho "$*" > '${dir}/npm-call'\nexit 1\n`)
  cpSync(join(ROOT, 'scripts'), join(dir, 'scripts'), { recursive: true })
  if (installed) {
    put('node_modules/.package-lock.json', JSON.stringify({ packages: production }))
    mkdirSync(join(dir, 'node_modules/node/bin'), { recursive: true })
    symlinkSync(process.execPath, join(dir, 'node_modules/node/bin/node'))
  }
  const runFile = async (file: string, ...args: string[]) => {
    const child = spawn(process.execPath, [join(dir, 'scripts', file), ...args], {
      env: { PATH: `${join(dir, 'bin')}${delimiter}${process.env.PATH}` },
    })
    const output = collect(child)
    const [code] = await once(child, 'close')
    return { code, output: output.text }
  }
  return {
    put,
    run: (...args: string[]) => runFile('rookery.mjs', ...args),
    runScript: (script: string) => runFile('run.mjs', script),
    /** The arguments that npm was called with. */
    npmCall: () =>
      existsSync(join(dir, 'npm-call')) ? readFileSync(join(dir, 'npm-call'), 'utf8').trim() : '',
    remove: () => rmSync(dir, { recursive: true }),
  }
}

function spawnNpm(args: readonly string[], env: Env) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn('npm', args, {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, HOME: env.ROOKERY_DATA_DIR, ...env },
    // A process group of its own tells later whether a descendant still runs.
    detached: true,
  })
  return { child, output: collect(child) }
}

function collect({ stdout, stderr }: ChildProcess): { text: string } {
  const output = { text: '' }
  for (const stream of [stdout!, stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.text += text
    })
  }
  return output
}

async function listeningPort(child: ChildProcess, output: { text: string }): Promise<number> {
  let port: string | undefined
  await waitFor('the server to listen', () => {
    assert.equal(child.exitCode, null, output.text)
    // For people, or in a line of JSON.
    port = /\bhub(?: +|":")http:\/\/[^:\s]+:(\d+)/m.exec(output.text)?.[1]
    return port !== undefined && /operations(?: +|":")http/.test(output.text)
  })
  return Number(port)
}

async function waitFor(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + WAIT_MS
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`waited ${WAIT_MS} ms for ${what}`)
    await delay(POLL_MS)
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Signal 0 only asks; it fails when no process of the group is left. */
function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // Every process has ended.
  }
}
