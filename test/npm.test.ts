// The commands that README and docs/operating.md name, run by npm as people run them.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createPlace, type Env, ROOT } from './program.ts'

const WAIT_MS = 180_000
const POLL_MS = 50

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
    assert.equal(project.npmWasCalled(), false)
    project.remove()
  })

  test('serve runs with the production packages alone', async () => {
    const project = fakeProject({ installed: true })
    assert.deepEqual(await project.run('serve'), { code: 0, output: 'ran serve\n' })
    assert.equal(project.npmWasCalled(), false)
    project.remove()
  })

  test('start without packages calls npm once and says how long that takes', async () => {
    const project = fakeProject({ installed: false })
    const { output } = await project.run('start')
    assert.match(output, /^Installing the locked packages .* are missing.*MB.*minutes/s)
    assert.equal(project.npmWasCalled(), true)
    project.remove()
  })
})

/** A project of two production packages and a development package, with an `npm` that only notes its call. */
function fakeProject({ installed }: { installed: boolean }) {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-run-'))
  const put = (path: string, text: string) => {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const production = {
    'node_modules/first': { version: '1.0.0' },
    'node_modules/node': { version: '1.0.0' },
  }
  const development = { 'node_modules/tool': { version: '1.0.0', dev: true } }
  put('package-lock.json', JSON.stringify({ packages: { '': {}, ...production, ...development } }))
  put('src/main.ts', "console.log('ran ' + process.argv[2])")
  put('bin/npm', `#!/bin/sh\ntouch '${dir}/npm-was-called'\nexit 1\n`)
  chmodSync(join(dir, 'bin/npm'), 0o755)
  cpSync(join(ROOT, 'scripts'), join(dir, 'scripts'), { recursive: true })
  if (installed) {
    put('node_modules/.package-lock.json', JSON.stringify({ packages: production }))
    mkdirSync(join(dir, 'node_modules/node/bin'), { recursive: true })
    symlinkSync(process.execPath, join(dir, 'node_modules/node/bin/node'))
  }
  return {
    async run(...args: string[]) {
      const child = spawn(process.execPath, [join(dir, 'scripts/rookery.mjs'), ...args], {
        env: { PATH: `${join(dir, 'bin')}${delimiter}${process.env.PATH}` },
      })
      const output = collect(child)
      const [code] = await once(child, 'close')
      return { code, output: output.text }
    },
    npmWasCalled: () => existsSync(join(dir, 'npm-was-called')),
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
