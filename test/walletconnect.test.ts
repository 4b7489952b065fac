// Wallets on other devices, as pages reach them: WalletConnect 2 through a relay of the tests.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Provider } from '../web/wallets/provider.ts'
import { open, seal } from '../web/wallets/walletconnect/envelope.ts'
import { createProvider } from '../web/wallets/walletconnect/provider.ts'
import { LONG } from './effort.ts'
import { openRemoteWallet } from './remote-wallet.ts'
import { startRelay, type TestRelay } from './wallet-relay.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const OTHER = `0x${'cd'.repeat(20)}`
const ACCOUNTS = [`eip155:1:${ADDRESS}`, `eip155:10:${ADDRESS}`]
const PROJECT = '0123456789abcdef0123456789abcdef'

/** A page that shows codes to `read`. */
async function openPage(
  t: TestContext,
  relay: TestRelay,
  read: (uri: string) => void,
): Promise<{ provider: Provider; giveUp(): void; told: [string, unknown][] }> {
  const given = new AbortController()
  const provider = createProvider({
    relayUrl: relay.url,
    projectId: PROJECT,
    page: { name: 'Rookery', description: 'Join', url: 'https://rookery.example' },
    signal: given.signal,
    showCode: read,
  })
  const told: [string, unknown][] = []
  for (const event of ['accountsChanged', 'chainChanged']) {
    provider.on?.(event, (value: unknown) => told.push([event, value]))
  }
  t.after(() => provider.disconnect?.().catch(() => {}))
  return { provider, giveUp: () => given.abort(), told }
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const connect = ({ provider }: { provider: Provider }) =>
  provider.request({ method: 'eth_requestAccounts' })
const personalSign = ({ provider }: { provider: Provider }) =>
  provider.request({ method: 'personal_sign', params: ['0x00', ADDRESS] })

test('a wallet on another device shares accounts, signs, declines, changes account and chain, and leaves', async (t) => {
  const relay = await startRelay()
  t.after(() => relay.close())
  let wallet: ReturnType<typeof openRemoteWallet> | undefined
  const page = await openPage(t, relay, (uri) => {
    wallet = openRemoteWallet(uri, {
      relayUrl: relay.url,
      accounts: ACCOUNTS,
      answer(method, params, chainId) {
        if (method === 'personal_sign') return [chainId, ...params].join(' ')
        throw { code: 5000, message: 'User rejected.' }
      },
    })
  })
  t.after(() => wallet?.close())
  await assert.rejects(personalSign(page), { code: 4100 })
  assert.deepEqual(await connect(page), [ADDRESS])
  assert.deepEqual(await connect(page), [ADDRESS], 'the session goes on')
  assert.deepEqual(relay.projects, [PROJECT, 'wallet'])
  const { requiredNamespaces, proposer } = await wallet!.proposal
  assert.deepEqual(requiredNamespaces, {})
  assert.equal(proposer.metadata.url, 'https://rookery.example')

  assert.equal(await page.provider.request({ method: 'eth_chainId' }), '0x1')
  const switchTo = (chainId: string) =>
    page.provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  await switchTo('0xa')
  await assert.rejects(switchTo('0x2105'), { code: 4902 })
  assert.equal(await personalSign(page), `eip155:10 0x00 ${ADDRESS}`)
  const params = [ADDRESS, '{}']
  const declined = page.provider.request({ method: 'eth_signTypedData_v4', params })
  await assert.rejects(declined, { code: 4001, message: 'User rejected.' })

  await page.provider.disconnect?.()
  await assert.rejects(personalSign(page), { code: 4100 })
})

test('what the wallet says by itself reaches the page once, also over a lost connection', async (t) => {
  const relay = await startRelay()
  t.after(() => relay.close())
  let wallet: ReturnType<typeof openRemoteWallet> | undefined
  const page = await openPage(t, relay, (uri) => {
    const answer = () => 'signed'
    wallet = openRemoteWallet(uri, { relayUrl: relay.url, accounts: ACCOUNTS, answer })
  })
  t.after(() => wallet?.close())
  await connect(page)
  relay.drop(PROJECT)
  wallet!.send('wc_sessionPing', {})
  const event = { name: 'chainChanged', data: 10 }
  wallet!.send('wc_sessionEvent', { event, chainId: 'eip155:10' })
  const eip155 = { accounts: [`eip155:1:${OTHER}`], methods: [], events: [] }
  wallet!.send('wc_sessionUpdate', { namespaces: { eip155 } })
  await until(() => page.told.length >= 2)
  assert.equal(await personalSign(page), 'signed')
  wallet!.send('wc_sessionDelete', { code: 6000, message: 'gone' })
  await until(() => page.told.length >= 3)
  assert.deepEqual(page.told, [
    ['chainChanged', '0xa'],
    ['accountsChanged', [OTHER]],
    ['accountsChanged', []],
  ])
  const all = ['Settle', 'Ping', 'Event', 'Update'].map((name) => `wc_session${name}`)
  assert.deepEqual(wallet!.answered.slice(0, 4), all)
  await assert.rejects(personalSign(page), { code: 4100 })
})

test('a user may decline in the wallet or give up on the page', async (t) => {
  const relay = await startRelay()
  t.after(() => relay.close())
  const declining = await openPage(t, relay, (uri) => {
    const wallet = openRemoteWallet(uri, { relayUrl: relay.url, accounts: [], answer: () => {} })
    t.after(() => wallet.close())
  })
  await assert.rejects(connect(declining), { code: 4001 })
  const page = await openPage(t, relay, () => page.giveUp())
  await assert.rejects(connect(page), { code: 4001 })
})

test('a relay that cannot be reached is said in plain words', async (t) => {
  const relay = await startRelay()
  await relay.close()
  const page = await openPage(t, relay, () => {})
  await assert.rejects(connect(page), /relay of WalletConnect cannot be reached/)
})

test('an envelope that was changed on its way, or is of another key, is not opened', () => {
  const key = new Uint8Array(32).fill(1)
  const envelope = seal({ a: 'ü' }, key)
  assert.deepEqual(open(envelope, key), { a: 'ü' })
  assert.throws(() => open(envelope, new Uint8Array(32)))
  const bytes = Buffer.from(envelope, 'base64')
  for (const at of [0, 1, 13, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.throws(() => open(changed.toString('base64'), key), `byte ${at}`)
  }
  assert.throws(() => open('', key))
})

/** The last version under a free licence; nothing of it is shipped. */
const PUBLISHED = '@walletconnect/sign-client@2.21.8'
/** Reads codes from its input, approves, signs messages, declines the rest, and ends with its session. */
const PUBLISHED_WALLET = `
  const { SignClient } = require('@walletconnect/sign-client')
  const [relayUrl, projectId, ...accounts] = process.argv.slice(1)
  const metadata = { name: 'Wallet', description: '', url: 'https://wallet.example', icons: [] }
  const storageOptions = { database: ':memory:' }
  SignClient.init({ relayUrl, projectId, metadata, storageOptions, logger: 'silent' }).then((wallet) => {
    wallet.on('session_proposal', ({ id, params }) => {
      const { methods, events } = params.optionalNamespaces.eip155
      const chains = ['eip155:1', 'eip155:10']
      return wallet.approve({ id, namespaces: { eip155: { accounts, chains, methods, events } } })
    })
    wallet.on('session_request', ({ topic, id, params: { request } }) => {
      const outcome = request.method === 'personal_sign'
        ? { result: 'signed' } : { error: { code: 5000, message: 'User rejected.' } }
      return wallet.respond({ topic, response: { id, jsonrpc: '2.0', ...outcome } })
    })
    wallet.on('session_delete', () => process.exit())
    process.stdin.on('data', (uri) => wallet.pair({ uri: String(uri).trim() }))
  })`

test('a published wallet library pairs with the page, signs and declines', {
  skip: !LONG && 'installs the library from npm',
}, async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'rookery-walletconnect-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'package.json'), '{}')
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', PUBLISHED, ...quietly], { cwd, stdio: 'ignore' })
  const relay = await startRelay()
  t.after(() => relay.close())
  const args = ['-e', PUBLISHED_WALLET, relay.url, PROJECT, ...ACCOUNTS]
  const wallet = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'ignore', 'inherit'] })
  t.after(() => wallet.kill('SIGKILL'))
  const page = await openPage(t, relay, (uri) => wallet.stdin.write(`${uri}\n`))
  assert.deepEqual(await connect(page), [ADDRESS])
  assert.equal(await personalSign(page), 'signed')
  const params = [ADDRESS, '{}']
  const declined = page.provider.request({ method: 'eth_signTypedData_v4', params })
  await assert.rejects(declined, { code: 4001 })
  const ended = once(wallet, 'exit')
  await page.provider.disconnect?.()
  await ended
})
