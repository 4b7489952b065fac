// A wallet of a test, which comes forward in pages as the extensions of browsers do.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any

/** Answers what pages ask of it, or throws an error with a code. */
export type Wallet = (method: string, params: Json[]) => unknown

/** A wallet with one account on the chain of the deployed contracts. */
export function walletOf(account: LocalAccount): Wallet {
  return (method, params) => {
    switch (method) {
      case 'eth_requestAccounts':
        return [account.address]
      case 'eth_chainId':
        return '0xa'
      case 'personal_sign':
        assert.equal(params[1], account.address)
        return account.signMessage({ message: { raw: params[0] as Hex } })
      case 'eth_signTypedData_v4':
        assert.equal(params[0], account.address)
        return signWith(account, spelledOut(JSON.parse(params[1])))
      default:
        throw { code: 4200, message: `${method} is not for wallets of tests` }
    }
  }
}

/** Some wallets sign another domain when its struct is not among the types. */
function spelledOut(typedData: Json): Json {
  const fields = typedData.types.EIP712Domain.map(({ name }: Json) => name)
  assert.deepEqual(fields, Object.keys(typedData.domain))
  return typedData
}

// viem infers structs from literal types; here they are data like any other.
export const signWith = (account: LocalAccount, typedData: Json): Promise<Hex> =>
  account.signTypedData(typedData)

/** The pages that are opened from now on find the wallet. */
export async function giveWallet(page: Page, wallet: Wallet): Promise<void> {
  await page.exposeFunction('askWallet', (method: string, params: Json[]) =>
    Promise.resolve()
      .then(() => wallet(method, params))
      .then(
        (result) => ({ result }),
        ({ code, message }) => ({ error: { code, message } }),
      ),
  )
  await page.addInitScript(INJECTED_WALLET)
}

/** Comes forward as wallets do, and hands what it is asked out of the browser. */
const INJECTED_WALLET = `{
  const provider = {
    async request({ method, params = [] }) {
      const { result, error } = await window.askWallet(method, params)
      if (error) throw error
      return result
    },
  }
  window.ethereum = provider
  const info = { uuid: 'test', name: 'Test Wallet', rdns: 'test', icon: 'https://elsewhere.example/x.png' }
  const detail = Object.freeze({ info, provider })
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
}`
