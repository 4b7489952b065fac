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
import { ROOT } from './program.ts'

const run = promisify(execFile)

describe('the npm package', () => {
  let dir: string
  let installed: string
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'rookery-package-'))
    const tarball = pack(dir, { checksTypes: false })
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
    assert.ok(files.length > 100)
    for (const file of files) {
      const text = readFileSync(join(installed, file), 'utf8')
      assert.doesNotMatch(
        text,
        /from '\.[^']*\.ts'|import\('\.[^']*\.ts'\)|URL\('\.[^']*\.ts'/,
        file,
      )
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

  it('two networks start side by side on ports of their own and leave nothing behind', async () => {
    const script = `import { startNetwork } from 'rookery/testing'
      const networks = await Promise.all([startNetwork(), startNetwork()])
      const [first, second] = networks
      await first.createAccount()
      const fids = async ({ urls }) => (await (await fetch(urls.hub + '/v1/fids')).json()).fids.length
      console.log(first.urls.hub !== second.urls.hub, await fids(first), await fids(second))
      await Promise.all(networks.map((network) => network.stop()))
      await first.stop()`
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('rookery-network-'))
    const { stdout } = await inProject(dir, process.execPath, '--input-type=module', '-e', script)
    assert.equal(stdout, 'true 11 10\n')
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('rookery-network-'))
    assert.deepEqual(
      left.filter((name) => !before.includes(name)),
      [],
    )
  })

  it('a network that cannot start says why', async () => {
    const script = `import { startNetwork } from 'rookery/testing'
      await startNetwork({ env: { ROOKERY_TYPO: '1' } }).catch((error) => console.log(error.message))`
    const { stdout } = await inProject(dir, process.execPath, '--input-type=module', '-e', script)
    assert.match(stdout, /ended with 1:[\s\S]*ROOKERY_TYPO is not a setting/)
  })
})
