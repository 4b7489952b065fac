// For which domains ordinary wallets sign what an account needs: the reason for the chain id of new ledgers (decision 256).

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { devAccount } from '../src/dev/accounts.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { signTypedData } from '../web/wallets/sign.ts'
import { simulatedWallet, WALLETS, type WalletName } from './simulated-wallets.ts'

const ACCOUNT = devAccount(30).custody
const OWN = 2_048_213_569
const TYPES = { Register: [{ name: 'to', type: 'address' }] }

/** What the page asks a wallet to sign, for a domain. */
function typedDataFor(chainId: number | undefined) {
  const { idGateway } = accountDomains({ chainId: chainId ?? 1 })
  const { chainId: _, ...withoutChain } = idGateway
  const domain = chainId === undefined ? withoutChain : idGateway
  const types: Record<string, string> = {
    ...{ name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' },
  }
  const fields = Object.keys(domain).map((name) => ({ name, type: types[name]! }))
  return {
    domain,
    types: { EIP712Domain: fields, ...TYPES },
    primaryType: 'Register',
    message: { to: ACCOUNT.address },
  }
}

/** Whether a wallet signs in the way of the web client, and whether its user had to let it switch. */
async function outcome(name: WalletName, chainId: number | undefined): Promise<string> {
  const terms = WALLETS[name]
  const { wallet, activeChain } = simulatedWallet(ACCOUNT, terms)
  const provider = {
    request: ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
      wallet(method, [...params]),
  }
  const connection = {
    wallet: { id: 'simulated', name, provider },
    addresses: [ACCOUNT.address],
    address: ACCOUNT.address,
    chainId: 1,
  }
  const signed = await signTypedData(connection, typedDataFor(chainId) as never).then(
    (signature) => /^0x[0-9a-f]{130}$/.test(signature),
    () => false,
  )
  if (!signed) return 'refuses'
  return activeChain() === terms.active ? 'signs' : 'switches and signs'
}

/** By the chain id in the domain: 1, 10, one of the network's own, and none. */
const EXPECTED: Record<WalletName, readonly [string, string, string, string]> = {
  'like MetaMask, on Ethereum': ['signs', 'switches and signs', 'refuses', 'signs'],
  'like MetaMask, on Polygon': ['switches and signs', 'switches and signs', 'refuses', 'signs'],
  'like MetaMask, whose user allows another chain': [
    ...(['signs', 'switches and signs', 'refuses', 'signs'] as const),
  ],
  'of one chain, Ethereum, that cannot switch': ['signs', 'refuses', 'refuses', 'signs'],
  'of one chain, Base, that cannot switch': ['refuses', 'refuses', 'refuses', 'signs'],
  'that wants a chain in every domain': ['signs', 'signs', 'signs', 'refuses'],
  'that signs for any chain': ['signs', 'signs', 'signs', 'signs'],
}

describe('what ordinary wallets sign for', () => {
  for (const [name, expected] of Object.entries(EXPECTED)) {
    test(`a wallet ${name} answers each domain as expected`, async () => {
      const found = []
      for (const chainId of [1, 10, OWN, undefined]) {
        found.push(await outcome(name as WalletName, chainId))
      }
      assert.deepEqual(found, expected)
    })
  }

  test('a wallet like MetaMask signs for a chain of the network alone once its user has added that, with a node over https', async () => {
    const terms = WALLETS['like MetaMask, whose user allows another chain']
    const { wallet } = simulatedWallet(ACCOUNT, terms)
    const chainId = `0x${OWN.toString(16)}`
    const add = (url: string) =>
      wallet('wallet_addEthereumChain', [{ chainId, chainName: 'Here', rpcUrls: [url] }])
    await assert.rejects(add('http://social.example/accounts'), /HTTPS/)
    await add('https://social.example/accounts')
    await wallet('wallet_switchEthereumChain', [{ chainId }])
    const data = JSON.stringify(typedDataFor(OWN))
    assert.match(await wallet('eth_signTypedData_v4', [ACCOUNT.address, data]), /^0x/)
  })
})
