// deploy/Dockerfile without containers: its own steps run below a directory of this machine, and the server that
// they make runs as the user of the image, who can write nothing but data and backups. TEST_LONG=1 runs it.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Instruction, stagesOf } from './dockerfile.ts'
import { contextOf } from './dockerignore.ts'
import { LONG } from './effort.ts'
import { PATIENCE_MS, patient } from './patience.ts'
import { PRODUCTION_ENV } from './production.ts'
import { ROOT } from './program.ts'

const run = promisify(execFile)
/** It took 590 s beside other tests: two installations, the guide and the package. */
const BUILD_MS = patient(120_000)
/** The whole image. */
const MAX_IMAGE_MB = 200
/** gcr.io/distroless/cc-debian12 is about 25 MB. */
const BASE_MB = 40
/** Directories that the steps name, and whatever is below them. */
const PATHS = /(?<![\w./-])\/(source|out|app|data|backups)(?=[/\s"',]|$)/g

test('the steps of the Dockerfile make a server below 200 MB that runs without root and writes only its data', {
  skip: !LONG && 'TEST_LONG=1 runs it',
  timeout: BUILD_MS,
}, async (t) => {
  const [build, final] = stagesOf(readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8')) as [
    Instruction[],
    Instruction[],
  ]
  const prefix = mkdtempSync(join(tmpdir(), 'rookery-image-'))
  t.after(() => rmSync(prefix, { recursive: true, force: true }))
  chmodSync(prefix, 0o755)
  const below = (text: string) => text.replace(PATHS, (path) => prefix + path)

  await runSteps(build, below)

  const rest = (keyword: string) => final.find((one) => one.keyword === keyword)!.rest
  const { stdout: size } = await run('du', ['-sm', join(prefix, 'app')])
  const megabytes = Number.parseInt(size, 10)
  t.diagnostic(`/app is ${megabytes} MB`)
  assert.ok(megabytes + BASE_MB < MAX_IMAGE_MB, `${megabytes} MB`)

  const settings = [...rest('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name!,
    value!,
  ])
  const [command, ...args] = JSON.parse(below(rest('ENTRYPOINT'))) as [string, ...string[]]
  const [user, group] = rest('USER').split(':').map(Number)
  const token = 'operator-of-the-image'
  const files = () => globSync('{app,source/deploy}/**/*', { cwd: prefix }).sort()
  const before = files()
  const child = spawn(command, [...args, ...JSON.parse(rest('CMD'))], {
    cwd: below(final.find(({ keyword }) => keyword === 'WORKDIR')!.rest),
    env: {
      ...PRODUCTION_ENV,
      ...Object.fromEntries(settings.map(([name, value]) => [name, below(value!)])),
      ROOKERY_LOG_LEVEL: 'info',
      ROOKERY_OPS_TOKEN: token,
      ROOKERY_BACKUP_DIR: join(prefix, 'backups'),
    },
    ...(process.getuid?.() === 0 && { uid: user, gid: group }),
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
  const check = JSON.parse(below(rest('HEALTHCHECK').replace(/^.*?CMD /, ''))) as string[]
  const healthy = check.map((part) => part.replace('http://127.0.0.1:2290', urls.web))
  await run(healthy[0]!, healthy.slice(1))
  assert.match(await (await fetch(`${urls.operations}/operator`)).text(), /<div id="root">/)
  const { stdout: invite } = await run(
    join(prefix, 'app', 'bin', 'rookery'),
    ['invite', 'create'],
    {
      env: { ROOKERY_OPS_URL: urls.operations, ROOKERY_OPS_TOKEN: token },
    },
  )
  assert.match(invite, /^\S+\n$/)
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
  assert.deepEqual(files(), before)
  assert.equal(readdirSync(join(prefix, 'backups')).length, 1)
})

/** Runs the steps of a build with every absolute path below the prefix. */
async function runSteps(steps: readonly Instruction[], below: (text: string) => string) {
  let cwd = below('/source')
  for (const { keyword, rest } of steps) {
    if (keyword === 'WORKDIR') {
      cwd = below(rest)
      mkdirSync(cwd, { recursive: true })
    } else if (keyword === 'COPY') {
      assert.equal(rest, '. .', 'the build copies the sources')
      await run('sh', ['-c', `git archive HEAD | tar x -C '${cwd}'`], { cwd: ROOT })
      const isInContext = contextOf(readFileSync(join(ROOT, '.dockerignore'), 'utf8'))
      for (const path of globSync('**/*', { cwd, withFileTypes: true })) {
        const file = join(path.parentPath, path.name)
        if (path.isFile() && !isInContext(relative(cwd, file))) rmSync(file)
      }
    } else if (keyword === 'RUN') {
      const { PATH, NODE_EXTRA_CA_CERTS } = process.env
      await run('sh', ['-ec', below(rest)], {
        cwd,
        env: { PATH, HOME: below('/out'), ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) },
        timeout: BUILD_MS,
      })
    } else assert.equal(keyword, 'FROM')
  }
}
