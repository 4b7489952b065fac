import { mnemonicToAccount } from 'viem/accounts'
import { bytesOf } from '../../shared/bytes.ts'
import { t } from '../../shared/messages.ts'
import type { Connection, Provider } from '../../wallets/provider.ts'

// The custody key that this browser makes: 12 words (BIP-39) whose first Ethereum account, m/44'/60'/0'/0/0, owns the account
// here. The same words in any wallet give the same address.

/** The key as a wallet, so that everything that a wallet signs is signed in the same way. It asks nobody. */
export function connectionOf(words: string): Connection {
  const account = mnemonicToAccount(words)
  const address = account.address.toLowerCase()
  let chain = '0x1'
  const request: Provider['request'] = async ({ method, params = [] }) => {
    if (method === 'eth_requestAccounts') return [address]
    if (method === 'eth_chainId') return chain
    if (method === 'wallet_switchEthereumChain') {
      chain = (params[0] as { chainId: string }).chainId
      return null
    }
    if (method === 'eth_signTypedData_v4')
      return account.signTypedData(JSON.parse(String(params[1])))
    if (method === 'personal_sign') {
      return account.signMessage({ message: { raw: bytesOf(String(params[0])) } })
    }
    throw new Error(t('The key of this account cannot do {method}.', { method }))
  }
  const wallet = { id: 'words', name: 'your account', provider: { request }, isOpened: true }
  return { wallet, addresses: [address], address, chainId: 1 }
}
