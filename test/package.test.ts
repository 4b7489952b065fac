// The npm package as other projects use it: packed, unpacked beside production packages alone, and run.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pack } from '../scripts/pack.ts'
import { LONG } from './effort.ts'
import { PRODUCTION_ENV } from './production.ts'
import { ROOT } from './program.ts'

const run = promisify(execFile)
/** The user of the image, who owns nothing. */
const NOBODY = 65_532
const PATIENCE_MS = 120_000

describe('the npm package', () => {
  let dir: string
  let tarball: string
  let installed: string
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'rookery-package-'))
    tarball = await pack(dir, { checksTypes: false })
    installed = join(dir, 'node_modules', 'rookery')
    mkdirSync(installed, { recursive: true })
    await run('tar', ['xzf', tarball, '-C', installed, '--strip-components=1'])
    const { dependencies } = manifest()
    for (const name of [...Object.keys(dependencies), 'vitest']) {
      const link = join(dir, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules', name), link)
    }
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

  /** Runs a program in a project that has the package, without our environment. */
  const inProject = async (project: string, file: string, ...args: string[]) => {
    const { PATH, NODE_COMPILE_CACHE, TMPDIR } = process.env
    const options = {
      cwd: project,
      env: { PATH, NODE_COMPILE_CACHE, TMPDIR, HOME: '/nonexistent' },
    }
    return run(file, args, options)
  }

  /** A copy of an example beside the installed packages. */
  const example = (name: string): string => {
    cpSync(join(ROOT, 'examples', name), join(dir, name), { recursive: true })
    return join(dir, name)
  }

  it('the package has no install script, no development packages and no sources or tests', () => {
    const { scripts, devDependencies, dependencies, optionalDependencies, exports } = manifest()
    assert.deepEqual([scripts, devDependencies], [undefined, undefined])
    assert.equal('node' in dependencies, false)
    assert.ok(Object.keys(optionalDependencies).every((name) => name.startsWith('node-')))
    const files = globSync('**/*', { cwd: installed })
    const unwanted = files.filter((file) => /\.test\.|-suite\.|(?<!\.d)\.ts$/.test(file))
    assert.deepEqual(unwanted, [])
    for (const entry of Object.values(exports) as (string | Record<string, string>)[]) {
      for (const path of typeof entry === 'string' ? [entry] : Object.values(entry)) {
        assert.ok(existsSync(join(installed, path)), path)
      }
    }
  })

  it('no compiled file names a source file that the package leaves out', () => {
    const files = globSync('dist/**/*.js', { cwd: installed })
    assert.ok(files.length > 20)
    for (const file of files) {
      const text = readFileSync(join(installed, file), 'utf8')
      assert.doesNotMatch(
        text,
        /from '\.[^']*\.ts'|import\('\.[^']*\.ts'\)|URL\('\.[^']*\.ts'/,
        file,
      )
    }
  })

  it('an installation runs no install script of any package', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
    const needed = new Set(Object.keys(manifest().dependencies))
    for (const name of needed) {
      const locked = packages[`node_modules/${name}`]
      assert.equal(locked.hasInstallScript, undefined, name)
      for (const one of Object.keys(locked.dependencies ?? {})) needed.add(one)
    }
    assert.ok(needed.size > 3)
  })

  it('types of the package need no other package, and each joined package has its license', () => {
    const types = globSync('types/**/*.d.ts', { cwd: installed })
    assert.ok(types.length > 10)
    for (const file of types) {
      const text = readFileSync(join(installed, file), 'utf8')
      for (const [, from] of text.matchAll(/(?:from |import\()'([^']+)'/g)) {
        assert.match(from!, /^\./, file)
        assert.ok(existsSync(join(installed, dirname(file), from!.replace(/\.[jt]s$/, '.d.ts'))))
      }
    }
    const licenses = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['fastify', 'viem', '@noble/hashes', 'pg']) {
      assert.match(licenses, new RegExp(`^${name} \\d.* \\(MIT\\)\\n\\n\\S`, 'm'))
    }
  })

  it('the command of the package prints its version', async () => {
    const bin = join(installed, 'bin', 'rookery.mjs')
    const { stdout } = await inProject(dir, process.execPath, bin, '--version')
    assert.equal(stdout.trim(), manifest().version)
  })

  it('the example with the runner of Node passes with the packed package', async () => {
    const project = example('testing-node')
    const { stdout } = await inProject(project, process.execPath, '--test')
    assert.match(stdout, /pass 3/)
  })

  it('the example with vitest passes with the packed package', async () => {
    const project = example('testing-vitest')
    const vitest = join(dir, 'node_modules', 'vitest', 'vitest.mjs')
    const { stdout } = await inProject(project, process.execPath, vitest, 'run')
    assert.match(stdout, /1 passed/)
  })

  // The steps of deploy/Dockerfile that need no container: no root, nothing writable but the data.
  const why = !LONG && 'TEST_LONG=1 runs it'
  it('the package serves without root and writes nothing but its data and its backups', {
    skip: why,
  }, async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'rookery-serve-'))
    t.after(() => rmSync(data, { recursive: true, force: true }))
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(data, NOBODY, NOBODY)
    for (const one of [dir, join(dir, 'node_modules')]) chmodSync(one, 0o755)
    const before = globSync('**/*', { cwd: installed })
    const token = 'operator-of-the-package'
    const main = join(installed, 'dist', 'main.js')
    const child = spawn(process.execPath, ['--max-semi-space-size=8', main, 'serve'], {
      cwd: installed,
      env: {
        ...PRODUCTION_ENV,
        ROOKERY_LOG_LEVEL: 'info',
        ROOKERY_OPS_TOKEN: token,
        ROOKERY_DATA_DIR: join(data, 'data'),
        ROOKERY_BACKUP_DIR: join(data, 'backups'),
      },
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text
      })
    }
    const closed = once(child, 'close')
    const entries = () =>
      output.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    const until = async <T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> => {
      for (const start = Date.now(); ; await delay(50)) {
        const found = await find()
        if (found !== undefined) return found
        assert.equal(child.exitCode, null, output.stdout + output.stderr)
        assert.ok(Date.now() - start < PATIENCE_MS, output.stdout + output.stderr)
      }
    }
    const { urls } = await until(() => entries().find(({ msg }) => msg === 'listening'))
    assert.equal((await fetch(`${urls.web}/health/ready`)).status, 200)
    assert.match(await (await fetch(`${urls.operations}/operator`)).text(), /<div id="root">/)
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${urls.operations}/backups`, { method: 'POST', headers })
    const backup = await until(async () => {
      const answer = await fetch(`${urls.operations}/backups`, { headers })
      return ((await answer.json()) as { backups: { verified: string }[] }).backups[0]
    })
    assert.match(backup.verified, /are as they should be/)
    child.kill('SIGTERM')
    assert.deepEqual(await closed, [0, null])
    assert.equal(output.stderr, '')
    assert.ok(entries().length > 2)
    assert.deepEqual(globSync('**/*', { cwd: installed }), before)
    assert.deepEqual(readdirSync(data).sort(), ['backups', 'data'])
  })

  it('an empty folder with the package and no network serves an account, a cast and a test network', {
    skip: why,
  }, async (t) => {
    const alone = ['-rnpf', '--kill-child', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
    const error = await run('unshare', [...alone, 'true']).catch(({ message }) => message)
    if (typeof error === 'string') return t.skip(`no network namespace: ${error}`)
    // Not below `dir`: npm installs into the nearest folder above that has node_modules.
    const project = mkdtempSync(join(tmpdir(), 'rookery-empty-'))
    t.after(() => rmSync(project, { recursive: true, force: true }))
    const { PATH } = process.env
    const options = { cwd: project, env: { PATH, HOME: project }, timeout: PATIENCE_MS }
    await run('npm', ['install', '--loglevel=error', tarball], options)
    cpSync(join(ROOT, 'test', 'offline-project.mjs'), join(project, 'project.mjs'))
    const { stdout } = await run('unshare', [...alone, 'node', 'project.mjs'], options)
    assert.deepEqual(JSON.parse(stdout), {
      interfaces: ['lo'],
      texts: ['Hello without a network'],
      isDown: true,
      testFid: 11,
    })
  })

  it('two networks start side by side and leave nothing behind, and one that cannot start says why', async () => {
    const script = `import { startNetwork } from 'rookery/testing'
      const failed = startNetwork({ env: { ROOKERY_TYPO: '1' } }).catch((error) => error.message)
      const networks = await Promise.all([startNetwork(), startNetwork()])
      const [first, second] = networks
      await first.createAccount()
      const fids = async ({ urls }) => (await (await fetch(urls.hub + '/v1/fids')).json()).fids.length
      console.log(first.urls.hub !== second.urls.hub, await fids(first), await fids(second))
      await Promise.all(networks.map((network) => network.stop()))
      await first.stop()
      console.log(await failed)`
    const tmp = mkdtempSync(join(dir, 'tmp-'))
    const setTmp = `process.env.TMPDIR = ${JSON.stringify(tmp)}`
    const args = ['--input-type=module', '-e', `${setTmp}\n${script}`]
    const { stdout } = await inProject(dir, process.execPath, ...args)
    assert.match(stdout, /^true 11 10\n.*ended with 1:[\s\S]*ROOKERY_TYPO is not a setting/)
    const left = readdirSync(tmp).filter((name) => name.startsWith('rookery-network-'))
    assert.deepEqual(left, [])
  })
})
