import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, type Mode, readConfig } from './config.ts'

const faultsOf = (env: Record<string, string>, mode: Mode = 'development'): readonly string[] => {
  try {
    readConfig(env, mode)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults
  }
}

test('proxies are addresses and ranges', () => {
  const variable = 'ROOKERY_TRUSTED_PROXIES'
  for (const text of ['', '127.0.0.1', '10.0.0.0/8, ::1', 'fd00::/128', '10.0.0.0/32']) {
    assert.deepEqual(faultsOf({ [variable]: text }), [], text)
  }
  for (const text of ['proxy', '10.0.0.0/33', '10.0.0.0/', 'fd00::/129', '10.0.0.0/8/8', '/8']) {
    assert.match(faultsOf({ [variable]: text }).join(), /^ROOKERY_TRUSTED_PROXIES must be/, text)
  }
})

test('a web origin is written as browsers send it', () => {
  const variable = 'ROOKERY_CORS_ORIGIN'
  for (const text of ['*', 'https://a.example', 'http://127.0.0.1:3000']) {
    assert.deepEqual(faultsOf({ [variable]: text }), [], text)
  }
  for (const text of ['a.example', 'https://a.example/', 'https://a.example:443', 'null', 'x y']) {
    assert.match(faultsOf({ [variable]: text }).join(), /^ROOKERY_CORS_ORIGIN must be/, text)
  }
})

test('only a development network may be made to fetch from its own machine', () => {
  const env = { ROOKERY_NETWORK: 'devnet', ROOKERY_FETCH_LOOPBACK: 'true' }
  assert.deepEqual(faultsOf(env), [])
  assert.match(faultsOf(env, 'production').join(), /^ROOKERY_FETCH_LOOPBACK is for development/)
  assert.deepEqual(faultsOf({ ...env, ROOKERY_FETCH_LOOPBACK: 'false' }, 'production'), [])
})
