import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { AS_DEPLOYED } from './cli/as-deployed.ts'
import { ConfigError, type Mode, readConfig, SETTING_GROUPS } from './config.ts'
import { FEATURES } from './features/index.ts'
import type { Feature } from './kernel/feature.ts'
import { REMOVED_SETTINGS } from './removed-settings.ts'

/** As many as an operator can read through. */
const MAX_SETTINGS = 95

const faultsOf = (env: Record<string, string>, mode: Mode = 'development'): readonly string[] => {
  try {
    readConfig(env, mode)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults
  }
}

const PRODUCTION = { ROOKERY_NETWORK: 'mainnet', ROOKERY_PUBLIC_URL: 'https://social.example' }

test('every group of settings that a feature declares is read', () => {
  const declared = FEATURES.flatMap((one: Feature) => one.settings ?? [])
  const missing = declared.filter((group) => !SETTING_GROUPS.includes(group))
  assert.deepEqual(missing, [])
})

test('trusted proxies are addresses and ranges', () => {
  const variable = 'ROOKERY_TRUSTED_PROXIES'
  for (const text of ['', '127.0.0.1', '10.0.0.0/8, ::1', 'fd00::/128', '10.0.0.0/32']) {
    assert.deepEqual(faultsOf({ [variable]: text }), [], text)
  }
  for (const text of ['proxy', '10.0.0.0/33', '10.0.0.0/', 'fd00::/129', '10.0.0.0/8/8', '/8']) {
    assert.match(faultsOf({ [variable]: text }).join(), /^ROOKERY_TRUSTED_PROXIES must be/, text)
  }
})

test('an allowed web origin must be written as browsers send it', () => {
  const variable = 'ROOKERY_CORS_ORIGIN'
  for (const text of ['*', 'https://a.example', 'http://127.0.0.1:3000']) {
    assert.deepEqual(faultsOf({ [variable]: text }), [], text)
  }
  for (const text of ['a.example', 'https://a.example/', 'https://a.example:443', 'null', 'x y']) {
    assert.match(faultsOf({ [variable]: text }).join(), /^ROOKERY_CORS_ORIGIN must be/, text)
  }
})

test('only a development network fetches from its own machine', () => {
  assert.equal(readConfig({}, 'development').fetchLoopback, true)
  assert.equal(readConfig(PRODUCTION, 'production').fetchLoopback, false)
})

test('a setting of an earlier version is refused with what takes its place', () => {
  for (const [variable, instead] of Object.entries(REMOVED_SETTINGS)) {
    const text = `${variable} is no setting any more: ${instead}. Remove it`
    assert.deepEqual(faultsOf({ [variable]: 'x' }), [text])
  }
  const variables = SETTING_GROUPS.flatMap(({ settings }) => Object.values(settings)).map(
    ({ variable }) => variable,
  )
  assert.deepEqual(
    variables.filter((variable) => Object.hasOwn(REMOVED_SETTINGS, variable)),
    [],
  )
  // A replacement that is a setting is one of this version.
  const named = Object.values(REMOVED_SETTINGS).flatMap((text) => text.match(/ROOKERY_\w+/g) ?? [])
  assert.deepEqual(
    named.filter((variable) => !variables.includes(variable)),
    [],
  )
})

test('CHANGELOG names every setting that was removed', () => {
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
  const missing = Object.keys(REMOVED_SETTINGS).filter((name) => !changelog.includes(`\`${name}\``))
  assert.deepEqual(missing, [])
})

test('an operator decides fewer than a hundred things', () => {
  const count = SETTING_GROUPS.flatMap(({ settings }) => Object.keys(settings)).length
  assert.ok(count <= MAX_SETTINGS, `${count} settings: what nobody would set is a constant`)
})

test('settings of a chain are refused without the URLs of its nodes', () => {
  const urls = 'https://a.example/KEY, http://127.0.0.1:8545'
  const chain = { ROOKERY_CHAIN_RPC_URLS: urls }
  const { chainRpcUrls, chainId } = readConfig(chain, 'development')
  assert.deepEqual(chainRpcUrls, ['https://a.example/KEY', 'http://127.0.0.1:8545'])
  assert.equal(chainId, 10)
  assert.match(faultsOf({ ROOKERY_CHAIN_RPC_URLS: 'a.example' }).join(), /must be http or https/)
  for (const [name, text] of [
    ['CHAIN_ID', '10'],
    ['CHAIN_CONTRACTS', `idRegistry=0x${'ab'.repeat(20)}`],
    ['CHAIN_START_BLOCK', '5'],
    ['CHAIN_CONFIRMATIONS', '5'],
    ['CHAIN_POLL_MS', '500'],
    ['TIER_RPC_URLS', 'https://base.example'],
    ['RELAYER_KEY', `0x${'42'.repeat(32)}`],
  ] as const) {
    const env: Record<string, string> = { [`ROOKERY_${name}`]: text }
    assert.deepEqual(faultsOf({ ...chain, ...env }), [], name)
    const fault = `ROOKERY_${name} means nothing without ROOKERY_CHAIN_RPC_URLS`
    assert.deepEqual(faultsOf(env), [fault])
  }
})

test('limits of the relayer are refused without its key, and the key is never shown', () => {
  const chain = { ROOKERY_CHAIN_RPC_URLS: 'http://127.0.0.1:8545' }
  const limits = { ROOKERY_RELAYER_MAX_FEE_GWEI: '7' }
  assert.deepEqual(
    faultsOf({ ...chain, ...limits }),
    Object.keys(limits).map((name) => `${name} means nothing without ROOKERY_RELAYER_KEY`),
  )
  const faults = faultsOf({ ...chain, ROOKERY_RELAYER_KEY: '0xdead' })
  assert.match(faults.join(), /^ROOKERY_RELAYER_KEY must be a private key/)
  assert.doesNotMatch(faults.join(), /dead/)
})

test('the start block may be omitted only for known chains', () => {
  const chain = { ROOKERY_CHAIN_RPC_URLS: 'http://127.0.0.1:8545', ROOKERY_CHAIN_ID: '31337' }
  assert.match(
    faultsOf(chain).join(),
    /^ROOKERY_CHAIN_START_BLOCK is missing: since when chain 31337/,
  )
  assert.deepEqual(faultsOf({ ...chain, ROOKERY_CHAIN_START_BLOCK: '1' }), [])
})

test("a chain and the ledger's settings contradict each other", () => {
  const faults = faultsOf({
    ROOKERY_CHAIN_RPC_URLS: 'http://127.0.0.1:8545',
    ROOKERY_SIGNUP_UNITS: '5',
    ROOKERY_CONFIRMATION_MS: '5',
  })
  assert.deepEqual(faults, [
    'ROOKERY_CONFIRMATION_MS is of the ledger, which ROOKERY_CHAIN_RPC_URLS replaces',
    'ROOKERY_SIGNUP_UNITS is of the ledger, which ROOKERY_CHAIN_RPC_URLS replaces',
  ])
})

test('contracts are configured by name and address', () => {
  for (const text of [
    'idRegistry',
    'other=0x00',
    `other=0x${'ab'.repeat(20)}`,
    'idRegistry=0xab',
  ]) {
    const env = { ROOKERY_CHAIN_RPC_URLS: 'http://a.example', ROOKERY_CHAIN_CONTRACTS: text }
    assert.match(faultsOf(env).join(), /must be name=address pairs with idRegistry, /, text)
  }
})

test('a production server on PostgreSQL needs the secret that all its processes share', () => {
  const env = { ...PRODUCTION, DATABASE_URL: 'postgres://a:b@127.0.0.1/c' }
  assert.throws(
    () => readConfig(env, 'production'),
    (error) =>
      error instanceof ConfigError && /ROOKERY_SIGNER_SECRET is required/.test(error.message),
  )
  const secret = `0x${'5e'.repeat(32)}`
  const config = readConfig({ ...env, ROOKERY_SIGNER_SECRET: secret }, 'production')
  assert.equal(config.signerSecret?.length, 32)
  readConfig({ ...env, ROOKERY_VIEWS: 'off' }, 'production')
  readConfig(env, 'development')
  for (const wrong of ['5e'.repeat(32), '0x5e', `0x${'zz'.repeat(32)}`]) {
    assert.throws(
      () => readConfig({ ...env, ROOKERY_SIGNER_SECRET: wrong }, 'production'),
      (error) => error instanceof ConfigError && !error.message.includes(wrong),
    )
  }
})

test('a production server does not run on a store that forgets at a power cut', () => {
  const env = { ROOKERY_DATABASE_FLUSH: 'off' }
  assert.deepEqual(faultsOf(env), [])
  assert.throws(
    () => readConfig({ ...PRODUCTION, ...env }, 'production'),
    (error) => error instanceof ConfigError && /ROOKERY_DATABASE_FLUSH must/.test(error.message),
  )
})

test('a token of the operator that no header can hold is refused without showing it', () => {
  const variable = 'ROOKERY_OPS_TOKEN'
  assert.deepEqual(faultsOf({ [variable]: 'sixteen-letters!' }), [])
  for (const text of [
    'fifteen-letters',
    'a token with spaces',
    'zeilenende-danach\n',
    'schlüssel-der-leitung',
  ]) {
    const faults = faultsOf({ [variable]: text }).join()
    assert.match(faults, /^ROOKERY_OPS_TOKEN must have/, text)
    assert.ok(!faults.includes(text))
  }
})

test('production needs its public URL, unless it is told what channels and casts are called', () => {
  const { ROOKERY_PUBLIC_URL: _, ...env } = PRODUCTION
  const fault = /^ROOKERY_PUBLIC_URL is missing\. .* http:\/\/127\.0\.0\.1:2290 /
  assert.match(faultsOf(env, 'production').join(), fault)
  assert.match(faultsOf({ ...env, ROOKERY_LINKS: 'own' }, 'production').join(), fault)
  assert.deepEqual(faultsOf({ ...env, ROOKERY_LINKS: 'deployed' }, 'production'), [])
  assert.deepEqual(faultsOf({ ...env, ...AS_DEPLOYED }, 'production'), [])
  assert.deepEqual(faultsOf(PRODUCTION, 'production'), [])
  assert.deepEqual(faultsOf({}), [])
})

test('operations listen beyond loopback only in production and with a token', () => {
  const faultOf = (mode: Mode, env: Record<string, string>) =>
    faultsOf({ ...PRODUCTION, ...env }, mode).join()
  const token = { ROOKERY_OPS_TOKEN: 'sixteen-letters!' }
  for (const host of ['0.0.0.0', '10.1.2.3', '::', 'internal.example.org', '127.example.org']) {
    const env = { ROOKERY_OPS_HOST: host }
    assert.equal(
      faultOf('production', env),
      'ROOKERY_OPS_HOST is an address that other machines may reach: set ROOKERY_OPS_TOKEN, too',
    )
    assert.equal(faultOf('production', { ...env, ...token }), '')
    assert.equal(
      faultOf('development', { ...env, ...token }),
      'ROOKERY_OPS_HOST must be loopback in development',
    )
  }
  for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost', '']) {
    assert.equal(faultOf('production', { ROOKERY_OPS_HOST: host }), '', host)
  }
})
