// The npm package as other projects use it: packed, unpacked beside production packages alone, and run.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
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
import { promisify } from 'node:util'
import { pack } from '../scripts/pack.ts'
import { LONG } from './effort.ts'
import { PATIENCE_MS } from './patience.ts'
import { JOINED, ROOT } from './program.ts'

const run = promisify(execFile)

describe('the npm package', () => {
  let dir: string
  let tarball: string
  let installed: string
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'rookery-package-'))
    tarball = await pack(dir, { withGuide: false, joined: JOINED })
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
    const pathsOf = (entry: string | object): string[] =>
      typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(pathsOf)
    for (const path of pathsOf(exports)) {
      assert.ok(existsSync(join(installed, path)), path)
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

  it('joined sources are plain ASCII, so that one byte of memory holds each character', () => {
    const files = globSync('dist/*.js', { cwd: installed })
    assert.ok(files.length > 10)
    const others = files.filter((file) =>
      /[^\0-\x7f]/.test(readFileSync(join(installed, file), 'utf8')),
    )
    assert.deepEqual(others, [])
  })

  it('types of the package need no other package, and each joined package has its license', () => {
    const types = globSync('{types,types-commonjs}/**/*.d.ts', { cwd: installed })
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

  it('client and testing are required by a CommonJS program, also past the exports', async () => {
    const script = `const { createNetwork } = require('rookery/client')
      require('rookery/testing').startNetwork().then(async (network) => {
        const { hub } = createNetwork({ url: network.urls.web })
        console.log((await hub.get('/v1/fids')).fids.length)
        await network.stop()
      })`
    const { stdout } = await inProject(dir, process.execPath, '-e', script)
    assert.equal(stdout, '10\n')
    for (const name of ['client', 'testing']) {
      const found = JSON.parse(readFileSync(join(installed, name, 'package.json'), 'utf8'))
      for (const path of Object.values<string>(found)) {
        assert.ok(existsSync(join(installed, name, path)), path)
      }
    }
  })

  it('the example with the runner of Node passes with the packed package', async () => {
    const project = example('testing/node')
    const { stdout } = await inProject(project, process.execPath, '--test')
    assert.match(stdout, /pass 4/)
  })

  const why = !LONG && 'TEST_LONG=1 runs it'
  it('the example with vitest passes with the packed package', { skip: why }, async () => {
    const project = example('testing/vitest')
    const vitest = join(dir, 'node_modules', 'vitest', 'vitest.mjs')
    const { stdout } = await inProject(project, process.execPath, vitest, 'run')
    assert.match(stdout, /2 passed/)
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
