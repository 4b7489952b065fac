import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '../../../test/http-support.ts'
import { PATIENCE_MS } from '../../../test/patience.ts'
import { createMetrics } from '../../kernel/http/metrics.ts'
import {
  type Check,
  type OperationsOptions,
  operationsRoutes,
  publicHealthRoutes,
} from './routes.ts'

const operations = (options: Partial<OperationsOptions> = {}) =>
  serve(operationsRoutes({ checks: [], registry: createMetrics().registry, ...options }), {
    name: 'operations',
    errors: 'plain',
  })

const good: Check = { name: 'storage', check: async () => {} }
const bad: Check = { name: 'chain', check: () => Promise.reject(new Error('password=hush')) }
const throwing: Check = {
  name: 'disk',
  check: () => {
    throw new Error('no disk')
  },
}

test('the liveness check answers while the process works', async () => {
  const response = await operations({ checks: [bad] }).inject('/health/live')
  assert.deepEqual([response.statusCode, response.json()], [200, { status: 'ok' }])
  assert.equal(response.headers['cache-control'], 'no-store')
})

test('the process is ready when every check succeeds', async () => {
  const response = await operations({ checks: [good] }).inject('/health/ready')
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), { status: 'ok', checks: { storage: 'ok' } })
})

test('one failing check makes the process unready and is named; its reason is logged', async () => {
  const api = operations({ checks: [good, bad, throwing] })
  const response = await api.inject('/health/ready')
  assert.equal(response.statusCode, 503)
  assert.deepEqual(response.json(), {
    status: 'unavailable',
    checks: { storage: 'ok', chain: 'failed', disk: 'failed' },
  })
  const failures = api.logged.filter(({ msg }) => msg === 'health check failed')
  assert.deepEqual(failures.map(({ check }) => check).sort(), ['chain', 'disk'])
})

test('a check that hangs times out and is not asked twice at once', async () => {
  let asked = 0
  let release = () => {}
  const hanging: Check = {
    name: 'storage',
    check: () => {
      asked += 1
      return new Promise((resolve) => {
        release = resolve
      })
    },
  }
  const api = operations({ checks: [hanging], checkTimeoutMs: 20 })
  for (let i = 0; i < 3; i++) {
    const response = await api.inject('/health/ready')
    assert.deepEqual(response.json().checks, { storage: 'timed out' })
  }
  assert.equal(asked, 1)
  release()
  await sleep(1)
  await api.inject('/health/ready')
  assert.equal(asked, 2)
})

test('metrics are served as Prometheus text', async () => {
  const response = await operations().inject('/metrics')
  assert.equal(response.statusCode, 200)
  assert.match(String(response.headers['content-type']), /^text\/plain; version=/)
  assert.match(response.body, /^# HELP process_cpu_user_seconds_total /m)
  assert.match(response.body, /^nodejs_active_resources_total \d/m)
  // To collect these ends the process when a handle's object is garbage.
  assert.doesNotMatch(response.body, /nodejs_active_(handles|requests)/)
})

test('a configured token is required for metrics and not for health', async () => {
  const api = operations({ checks: [good], operatorSecret: 'open' })
  const status = async (url: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    return (await api.inject({ url, headers })).statusCode
  }
  assert.equal(await status('/health/live'), 200)
  assert.equal(await status('/health/ready'), 200)
  assert.equal(await status('/metrics'), 401)
  assert.equal(await status('/metrics', 'Bearer shut'), 401)
  assert.equal(await status('/metrics', 'Bearer open'), 200)
  const basic = `Basic ${Buffer.from('prometheus:open').toString('base64')}`
  assert.equal(await status('/metrics', basic), 200)
})

test('an empty token counts as not configured', async () => {
  assert.equal((await operations({ operatorSecret: '' }).inject('/metrics')).statusCode, 200)
})

test('web pages of other sites can neither read operations nor act through them', async () => {
  const api = operations()
  const ask = (origin?: string) =>
    api.inject({
      url: '/health/live',
      headers: { host: '127.0.0.1:2280', ...(origin && { origin }) },
    })
  for (const origin of ['https://evil.example', 'http://127.0.0.1:2281', 'null']) {
    const response = await ask(origin)
    assert.equal(response.statusCode, 403, origin)
    assert.equal(response.headers['access-control-allow-origin'], undefined)
  }
  assert.equal((await ask()).statusCode, 200)
  assert.equal((await ask('http://127.0.0.1:2280')).statusCode, 200)
})

test('public readiness says whether it is ready, without names, and does not ask for every request', async () => {
  let asked = 0
  let isReady = false
  const storage: Check = {
    name: 'storage',
    check: async () => {
      asked++
      if (!isReady) throw new Error('password=hush')
    },
  }
  const api = serve(publicHealthRoutes({ checks: [storage] }), { name: 'hub', errors: 'hub' })
  const ready = async () => {
    const { statusCode, body, headers } = await api.inject('/health/ready')
    assert.equal(headers['cache-control'], 'no-store')
    return [statusCode, body]
  }
  const answers = await Promise.all(Array.from({ length: 50 }, ready))
  for (const answer of answers) assert.deepEqual(answer, [503, '{"status":"unavailable"}'])
  assert.equal(asked, 1)
  assert.equal((await api.inject('/health/live')).body, '{"status":"ok"}')
  isReady = true
  for (const start = Date.now(); (await ready())[0] !== 200; await sleep(20)) {
    assert.ok(Date.now() - start < PATIENCE_MS, 'it was not ready again')
  }
  assert.deepEqual(await ready(), [200, '{"status":"ok"}'])
})

test('details are shown beside the checks and do not affect readiness', async () => {
  const details = { chain: () => ({ behind: 12 }), relay: async () => ({ balance: '0' }) }
  const response = await operations({ checks: [good], details }).inject('/health/ready')
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json().details, { chain: { behind: 12 }, relay: { balance: '0' } })
})
