import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AS_DEPLOYED } from '../../cli/as-deployed.ts'
import { readConfig } from '../../config.ts'
import { startWarnings } from './warnings.ts'

const named = (env: Record<string, string>) =>
  startWarnings(
    'production',
    readConfig({ ROOKERY_NETWORK: 'mainnet', ...env }, 'production'),
    undefined,
  ).map((text) => text.split(' ', 1)[0])

test('production warns of a missing public URL and of a proxy that is not trusted', () => {
  const url = { ROOKERY_PUBLIC_URL: 'https://social.example' }
  assert.deepEqual(named(AS_DEPLOYED), ['ROOKERY_PUBLIC_URL'])
  assert.deepEqual(named(url), ['ROOKERY_TRUSTED_PROXIES'])
  assert.deepEqual(named({ ...url, ROOKERY_TRUSTED_PROXIES: '127.0.0.1' }), [])
  assert.deepEqual(named({ ROOKERY_PUBLIC_URL: 'http://10.0.0.2:2290' }), [])
})

test('production warns of a limit of open files below what the allowed connections need', () => {
  const env = { ROOKERY_NETWORK: 'mainnet', ROOKERY_PUBLIC_URL: 'http://10.0.0.2:2290' }
  const config = readConfig(env, 'production')
  assert.match(startWarnings('production', config, 10_499).join(), /^only 10499 files/)
  assert.deepEqual(startWarnings('production', config, 10_500), [])
})

test('a development network starts without warnings', () => {
  assert.deepEqual(startWarnings('development', readConfig({}, 'development'), 64), [])
})
