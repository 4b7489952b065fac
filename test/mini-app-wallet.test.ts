// What a wallet is asked for a mini app, and what it never is. The wallet here records every request that reaches it.

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { DEPLOYED_CONTRACTS } from '../src/kernel/protocol/crypto/account-domains.ts'
import * as structs from '../src/kernel/protocol/crypto/account-structs.ts'
import * as eip712 from '../src/kernel/protocol/crypto/eip712.ts'
import { checkPayload } from '../web/client/miniapps/payload.ts'
import { requestWallet, type WalletPorts } from '../web/client/miniapps/wallet/provider.ts'
import { etherOf, wordsOf } from '../web/client/miniapps/wallet/words.ts'

const ADDRESS = `0x${'11'.repeat(20)}`
const OWN_CONTRACT = `0x${'22'.repeat(20)}`
const OTHER = `0x${'33'.repeat(20)}`

// biome-ignore lint/suspicious/noExplicitAny: requests of any shape
type Json = any

function start({ answers = [true], isConnected = true } = {}) {
  const asked: string[] = []
  const shown: string[] = []
  const left = [...answers]
  const provider = {
    request: async ({ method }: { method: string }) => {
      asked.push(method)
      return '0x1'
    },
  }
  const connection = {
    wallet: { id: 'test', name: 'Test', provider },
    addresses: [ADDRESS],
    address: ADDRESS,
    chainId: 10,
  }
  const ports: WalletPorts = {
    terms: async () => ({ domain: 'app.example', contracts: [OWN_CONTRACT] }),
    chains: async () => ['eip155:10'],
    connection: async () => (isConnected ? connection : undefined),
    connect: async () => (left.shift() ? connection : undefined),
    confirm: async ({ heading }) => {
      shown.push(heading)
      return left.shift() ?? true
    },
  }
  const request = (method: string, ...params: Json[]) => requestWallet(ports, method, params)
  return { request, asked, shown }
}

const refused = { code: -32602 }
const hex = (text: string) => `0x${Buffer.from(text).toString('hex')}`
const typed = (primaryType: string, domain: object = { name: 'Game', chainId: 10 }) =>
  JSON.stringify({ domain, primaryType, types: { [primaryType]: [] }, message: {} })

describe('the wallet of a mini app', () => {
  it('a signature about an account, a key or a name reaches neither the user nor the wallet', async () => {
    const { request, asked, shown } = start()
    const names = Object.values(structs).flatMap((one) => Object.keys(one))
    assert.ok(names.length >= 13, names.join())
    for (const name of names) {
      await assert.rejects(request('eth_signTypedData_v4', ADDRESS, typed(name)), refused, name)
      // Whatever contract and chain it says, and as an object too.
      const elsewhere = JSON.parse(typed(name, { name: 'X', chainId: 1, verifyingContract: OTHER }))
      await assert.rejects(request('eth_signTypedData_v4', ADDRESS, elsewhere), refused, name)
    }
    const contracts = [...Object.values(DEPLOYED_CONTRACTS), OWN_CONTRACT]
    for (const contract of contracts.flatMap((one) => [
      one,
      one.toUpperCase().replace('0X', '0x'),
    ])) {
      const data = typed('Order', { name: 'X', verifyingContract: contract })
      await assert.rejects(request('eth_signTypedData_v4', ADDRESS, data), refused, contract)
      const transaction = { from: ADDRESS, to: contract, data: '0x' }
      await assert.rejects(request('eth_sendTransaction', transaction), refused)
      const batch = { calls: [{ to: OTHER }, { to: contract }] }
      await assert.rejects(request('wallet_sendCalls', batch), refused)
    }
    for (const bad of ['', 'no JSON', '[]', null, 7, '{"domain":{}}']) {
      await assert.rejects(request('eth_signTypedData_v4', ADDRESS, bad), refused)
    }
    assert.deepEqual([asked, shown], [[], []])
  })

  it('a token of the owner and a sign-in elsewhere reach neither the user nor the wallet', async () => {
    const { request, asked, shown } = start()
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ fid: 1, type: 'custody', key: ADDRESS })}.${part({ exp: 1 })}`
    const siwe = (domain: string) =>
      `${domain} wants you to sign in with your Ethereum account:\n${ADDRESS}\n\nFarcaster Auth\n\nURI: https://x/`
    for (const text of [
      token,
      ` ${token}\n`,
      siwe('other.example'),
      siwe('app.example.evil.example'),
      siwe('https://other.example'),
      siwe('OTHER.example'),
      `\n${siwe('other.example')}`,
    ]) {
      for (const message of [text, hex(text)]) {
        await assert.rejects(request('personal_sign', message, ADDRESS), refused, text)
        // Some wallets take them the other way round.
        await assert.rejects(request('personal_sign', ADDRESS, message), refused, text)
      }
    }
    assert.deepEqual([asked, shown], [[], []])
    await request('personal_sign', hex(siwe('app.example')), ADDRESS)
    await request('personal_sign', hex('Hello. Goodbye.'), ADDRESS)
    assert.equal(asked.length, 2)
  })

  it('code of an app never acts as the account', async () => {
    const { request, asked } = start()
    const authorizationList = [{ address: OTHER }]
    const transaction = { from: ADDRESS, to: OTHER, authorizationList }
    await assert.rejects(request('eth_sendTransaction', transaction), refused)
    await assert.rejects(request('wallet_sendCalls', { calls: [transaction] }), refused)
    await assert.rejects(request('wallet_sendCalls', { calls: [], authorizationList }), refused)
    assert.deepEqual(asked, [])
  })

  it('only the address that the user has shared signs', async () => {
    const { request, asked } = start()
    const other = { code: 4100 }
    await assert.rejects(request('personal_sign', hex('Hello'), OTHER), other)
    await assert.rejects(request('eth_signTypedData_v4', OTHER, typed('Order')), other)
    await assert.rejects(request('eth_sendTransaction', { from: OTHER, to: OTHER }), other)
    assert.deepEqual(asked, [])
  })

  it('the user decides about each signature, and a no is the error 4001', async () => {
    const { request, asked, shown } = start({ answers: [false, true] })
    await assert.rejects(request('personal_sign', hex('Hello'), ADDRESS), { code: 4001 })
    assert.deepEqual(asked, [])
    assert.equal(await request('personal_sign', hex('Hello'), ADDRESS), '0x1')
    assert.deepEqual(asked, ['personal_sign'])
    assert.match(shown[0]!, /^app\.example asks you to sign a text/)
  })

  it('without consent there is no address, and a request to sign is the error 4100', async () => {
    const { request } = start({ isConnected: false, answers: [false, true] })
    assert.deepEqual(await request('eth_accounts'), [])
    assert.equal(await request('eth_chainId'), '0xa')
    await assert.rejects(request('personal_sign', hex('Hello'), ADDRESS), { code: 4100 })
    await assert.rejects(request('eth_requestAccounts'), { code: 4001 })
    assert.deepEqual(await request('eth_requestAccounts'), [ADDRESS])
  })

  it('methods that sign what nobody can read do not exist', async () => {
    const { request, asked } = start()
    for (const method of [
      'eth_sign',
      'eth_signTransaction',
      'eth_signTypedData',
      'eth_signTypedData_v3',
      'eth_sendRawTransaction',
      'wallet_addEthereumChain',
      'wallet_grantPermissions',
      'wallet_watchAsset',
      'toString',
      '__proto__',
    ]) {
      await assert.rejects(request(method, ADDRESS, '0x'), { code: 4200 }, method)
    }
    const chain = { chainId: '0x1' }
    await assert.rejects(request('wallet_switchEthereumChain', chain), { code: 4902 })
    assert.deepEqual(asked, [])
  })
})

test('a wallet is asked in words that have the domain, the receiver and the exact value', () => {
  const words = wordsOf('eth_sendTransaction', [{ to: OTHER, value: '0xde0b6b3a7640001' }], 'a.b')
  assert.equal(words.heading, 'a.b asks you to send a transaction')
  assert.deepEqual(words.rows, [
    { name: 'To', value: OTHER },
    { name: 'Value', value: '1.000000000000000001 ETH' },
    { name: 'Data', value: 'none' },
  ])
  assert.deepEqual(['0x0', '0x1', '0xde0b6b3a7640000', 'x'].map(etherOf), [
    '0',
    '0.000000000000000001',
    '1',
    '0',
  ])
})

test('every struct that is signed under a domain of the network is one that wallets refuse', () => {
  const address = new Uint8Array(20)
  const key = new Uint8Array(32)
  const claim = { fid: 1, key, nonce: 1, deadline: 1 }
  const made = [
    eip712.usernameProofTypedData({ name: 'a', timestamp: 1, owner: address }),
    eip712.nameTransferTypedData(
      { name: 'a', from: 1, to: 2, timestamp: 1 },
      eip712.USERNAME_PROOF_DOMAIN,
    ),
    eip712.verificationClaimTypedData({ fid: 1, address, blockHash: key, network: 1 }),
    eip712.signedKeyRequestTypedData({ requestFid: 1, key, deadline: 1 }),
    eip712.accountDataTypedData({ action: 'erase', fid: 1, network: 'devnet', deadline: 1 }, {}),
    eip712.keyAddTypedData({ ...claim, scopes: [1], ttl: 1 }),
    eip712.keyRemoveTypedData(claim),
  ]
  const known = Object.values(structs).flatMap((one) => Object.keys(one))
  for (const { primaryType } of made) assert.ok(known.includes(primaryType), primaryType)
  // No struct stands outside of the file that wallets read.
  const outside = Object.entries(eip712).filter(([name]) => name.endsWith('_TYPES'))
  assert.deepEqual(
    outside.map(([name]) => name).filter((name) => !(name in structs)),
    [],
  )
})

test('the browser signs the event that was asked for and nothing with more in it', () => {
  const payload = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const origins = ['https://social.example']
  const details = { url: 'https://social.example/platform/v1/frame-notifications', token: 't' }
  const added = { event: 'miniapp_added', notificationDetails: details }
  checkPayload(payload(added), 'miniapp_added', origins)
  checkPayload(payload({ event: 'miniapp_removed' }), 'miniapp_removed', origins)
  const bad: unknown[] = [
    { ...added, exp: 4_000_000_000 },
    { exp: 4_000_000_000 },
    { ...added, aud: 'https://social.example' },
    { event: 'miniapp_removed' },
    { ...added, notificationDetails: { ...details, url: 'https://evil.example/' } },
    { ...added, notificationDetails: { ...details, exp: 1 } },
    { ...added, notificationDetails: { url: details.url } },
    { ...added, notificationDetails: null },
    [],
    null,
    7,
  ]
  for (const one of bad) {
    assert.throws(() => checkPayload(payload(one), 'miniapp_added', origins), JSON.stringify(one))
  }
  for (const text of ['', '!', 'e30', payload(added).slice(0, 20)]) {
    assert.throws(() => checkPayload(text, 'miniapp_added', origins), text)
  }
})
