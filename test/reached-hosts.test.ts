// Addresses that are not 127.0.0.1, and operator calls of a server that has no token.

import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { emptyStore, PRODUCTION_ENV, startServer } from './production.ts'
import { rookery } from './program.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
const withIpv6 = { skip: !hasIpv6 && 'this machine has no ::1' }

test(
  'commands and doctor reach a server that listens on ::1 alone, by its settings',
  withIpv6,
  async (t) => {
    const env = {
      ...(await emptyStore(t)),
      ROOKERY_HOST: '::1',
      ROOKERY_OPS_HOST: '::1',
    }
    const { urls } = await startServer(t, env)
    const settings = {
      ...PRODUCTION_ENV,
      ...env,
      ROOKERY_HUB_PORT: new URL(urls.hub).port,
      ROOKERY_OPS_PORT: new URL(urls.operations).port,
    }
    const doctor = await rookery(settings, 'doctor')
    assert.match(doctor.stdout, /^ok +server/m, doctor.stdout + doctor.stderr)
    const status = await rookery(settings, 'status')
    assert.equal(status.code, 0, status.stderr)
  },
)

test('a server that listens on all addresses names ones that can be reached', async (t) => {
  const hosts = [['0.0.0.0', '127.0.0.1'], ...(hasIpv6 ? [['::', '[::1]']] : [])] as const
  for (const [host, reached] of hosts) {
    const { urls, stop } = await startServer(t, { ...(await emptyStore(t)), ROOKERY_HOST: host! })
    for (const url of [urls.hub, urls.web, `http://${urls.grpc}`]) {
      assert.ok(url.startsWith(`http://${reached}:`), url)
    }
    assert.equal((await fetch(`${urls.hub}/v1/info`)).status, 200)
    await stop()
  }
})

test('operator calls that are off say which setting turns them on, and commands pass it on', async (t) => {
  const { urls } = await startServer(t, { ...(await emptyStore(t)), ROOKERY_OPS_TOKEN: '' })
  for (const [method, path] of [
    ['GET', '/server'],
    ['GET', '/backups'],
    ['POST', '/backups'],
    ['GET', '/errors'],
  ] as const) {
    const response = await fetch(urls.operations + path, { method })
    assert.equal(response.status, 403, path)
    assert.match(await response.text(), /operator calls are off: set ROOKERY_OPS_TOKEN/, path)
  }
  assert.equal((await fetch(`${urls.operations}/health/ready`)).status, 200)
  assert.equal((await fetch(`${urls.operations}/nothing`)).status, 404)
  const { code, stderr } = await rookery({ ROOKERY_OPS_URL: urls.operations }, 'logs')
  assert.equal(code, 1)
  assert.match(stderr, /operator calls are off: set ROOKERY_OPS_TOKEN/)
  assert.doesNotMatch(stderr, /no route|upgrade/)
})
