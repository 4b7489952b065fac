// The npm package in projects of other habits, as docs/guide/build.md shows them: test runners, versions of Node, Bun, Deno,
// Python, TypeScript and bundlers. TEST_LONG=1 packs the package and installs it beside them, in temporary folders.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { gzipSync } from 'node:zlib'
import { pack } from '../scripts/pack.ts'
import { keySigner } from '../src/client/index.ts'
import { startNetwork } from '../src/testing/index.ts'
import { findProgram } from './debian.ts'
import { LONG } from './effort.ts'
import { patient } from './patience.ts'
import { JOINED, ROOT } from './program.ts'

/** The longest installation takes 40 s on a quiet machine, the longest build 20 s. */
const CHILD_MS = patient(60_000)
const EXAMPLES = join(ROOT, 'examples')
const RUNNERS = join(EXAMPLES, 'testing')
/** How each says that its tests have passed. */
const PASSED: Readonly<Record<string, RegExp>> = {
  node: /pass 4/,
  vitest: /2 passed/,
  jest: /1 passed, 1 total/,
  'jest-modules': /1 passed, 1 total/,
  playwright: /2 passed/,
  bun: /1 pass\b/,
  deno: /1 passed/,
  python: /1 passed/,
}
/** npm may not run install scripts, which fetch these programs. */
const INSTALLERS = ['bun/install.js', 'deno/install.cjs']
/** The newest of each major version that is published as a package. */
const NODES = ['20.8.0', '22.23.5', '24.22.3', '25.9.0']
const BUNDLERS = ['esbuild', 'webpack', 'vite', 'metro']
/** Gzip; what issue 54 allows. */
const MAX_BUNDLE_BYTES = 40_000
/** What programs find in React Native: no Web Crypto, and signals without `any` and `timeout`. No bundle needs Node. */
const SMALL = {
  ...{
    fetch,
    atob,
    btoa,
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    setTimeout,
    clearTimeout,
  },
  AbortController,
  AbortSignal: class {},
}
const OF_TESTS = /^(?:TEST_|ROOKERY_|NODE_(?:ENV|OPTIONS|TEST_CONTEXT|COMPILE_CACHE)$)/
const run = promisify(execFile)

const TYPED = `import { createNetwork } from 'rookery/client'
import { startNetwork } from 'rookery/testing'
export const client = createNetwork({ url: 'http://localhost' })
export const network = startNetwork()
`
/** By what a project is compiled with, its files. */
const RESOLUTIONS: Readonly<Record<string, string>> = {
  '--module node16': 'use.cts use.mts',
  '--module nodenext': 'use.cts use.mts',
  '--module commonjs --moduleResolution node': 'use.ts',
  '--module esnext --moduleResolution bundler': 'use.ts',
}

describe('the package in other projects', { skip: !LONG && 'TEST_LONG=1 installs them' }, () => {
  let place: string
  let tarball: string
  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'rookery-projects-'))
    tarball = await pack(place, { withGuide: false, joined: JOINED })
  })
  after(() => rmSync(place, { recursive: true, force: true }))

  /** Runs a program in a project, without what the runner of this test has set. */
  const inProject = (project: string, file: string, ...args: string[]) => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !OF_TESTS.test(name)),
    )
    return run(file, args, {
      cwd: project,
      env: { ...env, NEXT_TELEMETRY_DISABLED: '1' },
      timeout: CHILD_MS,
      killSignal: 'SIGKILL',
    })
  }

  /** A copy of a folder in which its packages and the tarball are installed. */
  const installed = async (folder: string, ...others: string[]): Promise<string> => {
    const project = mkdtempSync(join(place, 'project-'))
    cpSync(folder, project, { recursive: true })
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await inProject(project, 'npm', 'install', ...options, tarball, ...others)
    for (const script of INSTALLERS.map((path) => join(project, 'node_modules', path))) {
      if (existsSync(script)) await inProject(join(script, '..'), process.execPath, script)
    }
    return project
  }

  for (const name of readdirSync(RUNNERS)) {
    it(`${name} starts a network, publishes a cast and reads it`, async () => {
      if (name === 'playwright') process.env.CHROMIUM = await findProgram(['chromium'], 'chromium')
      const project = await installed(join(RUNNERS, name))
      if (name === 'python') {
        await inProject(project, 'python3', '-m', 'venv', 'venv')
        await inProject(project, 'venv/bin/pip', 'install', '--quiet', '-r', 'requirements.txt')
      }
      const activate = name === 'python' ? '. venv/bin/activate && ' : ''
      const { stdout, stderr } = await inProject(project, 'sh', '-c', `${activate}npm test`)
      assert.match(stdout + stderr, PASSED[name]!)
    })
  }

  it('jest runs the example in a project whose tests run in jsdom', async () => {
    const project = await installed(join(RUNNERS, 'jest'), 'jest-environment-jsdom@30.5.2')
    const { stderr } = await inProject(project, 'npm', 'test', '--', '--env=jsdom')
    assert.match(stderr, PASSED.jest!)
  })

  it(`the runner of Node does so in versions ${NODES.join(', ')}`, async () => {
    const platform = `${process.platform}-${process.arch}`
    const aliases = NODES.map((version) => `node-${version}@npm:node-${platform}@${version}`)
    const project = await installed(join(RUNNERS, 'node'), ...aliases)
    for (const version of NODES) {
      const node = join(project, 'node_modules', `node-${version}`, 'bin', 'node')
      const { stdout } = await inProject(project, node, '--test', 'network.test.js')
      assert.match(stdout, PASSED.node!, version)
    }
  })

  it('TypeScript finds and checks the types by each way of resolving modules', async () => {
    const project = mkdtempSync(join(place, 'types-'))
    for (const end of ['ts', 'mts', 'cts']) writeFileSync(join(project, `use.${end}`), TYPED)
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    const compilers = { 'typescript-5': '5.9.3', 'typescript-7': '7.0.2' }
    const aliases = Object.entries(compilers).map(([name, v]) => `${name}@npm:typescript@${v}`)
    await inProject(project, 'npm', 'install', '--ignore-scripts', tarball, ...aliases)
    const strict = '--noEmit --strict --skipLibCheck false --typeRoots ./none --lib es2022,dom'
    for (const compiler of Object.keys(compilers)) {
      for (const [resolution, files] of Object.entries(RESOLUTIONS)) {
        // Gone in TypeScript 7.
        if (compiler === 'typescript-7' && resolution.endsWith(' node')) continue
        const tsc = join(project, 'node_modules', compiler, 'bin', 'tsc')
        const args = `${strict} ${resolution} ${files}`.split(' ')
        const { stdout } = await inProject(project, process.execPath, tsc, ...args).catch(
          (error: { stdout: string }) => error,
        )
        assert.equal(stdout, '', `${compiler} ${resolution}`)
      }
    }
  })

  it('Next.js builds an app that reads on the server and publishes in the browser', async () => {
    const project = await installed(join(EXAMPLES, 'next'))
    const { stdout } = await inProject(project, 'npm', 'run', 'build')
    assert.match(stdout, /Compiled successfully/)
  })

  it('esbuild, webpack, Vite and Metro make small bundles that publish a cast', async (t) => {
    const project = await installed(join(EXAMPLES, 'bundling'))
    const network = await startNetwork()
    t.after(() => network.stop())
    const [author] = network.accounts
    for (const name of BUNDLERS) {
      await inProject(project, 'npm', 'run', name)
      const code = readFileSync(join(project, 'out', `${name}.js`), 'utf8')
      const { length } = gzipSync(code)
      t.diagnostic(`${name}: ${length} bytes`)
      assert.ok(length < MAX_BUNDLE_BYTES, `${name}: ${length} bytes`)
      const isNative = name === 'metro'
      const page = vm.createContext(isNative ? { ...SMALL } : { ...SMALL, crypto, AbortSignal })
      vm.runInContext(code, page)
      const { fid, appPrivateKey } = author!
      const by = isNative ? { fid, signer: await keySigner(appPrivateKey) } : author
      assert.equal(await page.publish(network.urls.web, by, `By ${name}`), `By ${name}`)
    }
  })
})
