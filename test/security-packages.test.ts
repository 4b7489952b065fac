import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPlace, launch, ROOT, startProgram } from './program.ts'

const HOOK = { NODE_OPTIONS: `--import=${join(ROOT, 'test', 'production-packages.mjs')}` }

test('security finding 20: a production server and its commands load no package that is installed for development', async () => {
  const { env, remove } = await createPlace('sqlite')
  const production = {
    ...env,
    ...HOOK,
    ROOKERY_NETWORK: 'mainnet',
    ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
    ROOKERY_HOST: '127.0.0.1',
    ROOKERY_OPS_TOKEN: 'operator-of-the-tests',
  }
  try {
    // From the sources: joined packages are not looked for.
    const server = await startProgram('serve', production, [], ROOT)
    for (const url of [server.hub, server.registry, server.platform, server.accounts]) {
      assert.equal((await fetch(`${url}/openapi.json`)).status, 200)
      // The readable API page comes from a package.
      assert.equal((await fetch(`${url}/`, { redirect: 'follow' })).status < 500, true)
    }
    assert.equal((await fetch(`${server.hub}/v1/info`)).status, 200)
    const help = launch(production, ['moderate', '--help'], ROOT)
    assert.deepEqual(await new Promise((resolve) => help.once('exit', resolve)), 0)
    await server.stop()
    assert.equal(server.output.code, 0, server.output.stderr)
  } finally {
    await remove()
  }
})

test('security finding 20: the packages of the tests are locked as such, old ones with advisories included', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  for (const name of ['axios', '@farcaster/core', '@neynar/nodejs-sdk', 'vite']) {
    assert.equal(packages[`node_modules/${name}`].dev, true, name)
  }
})

test('security finding 20: what pretends that development packages are absent refuses them', () => {
  const options = { cwd: ROOT, env: { PATH: process.env.PATH, ...HOOK }, encoding: 'utf8' } as const
  const run = (name: string) =>
    spawnSync(process.execPath, ['-e', `import(${JSON.stringify(name)})`], options)
  assert.match(run('axios').stderr, /which production does not install/)
  assert.equal(run('fastify').status, 0)
})
