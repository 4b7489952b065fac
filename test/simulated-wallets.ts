// Wallets as ordinary ones behave towards pages, written after EIP-712, EIP-1193, EIP-3085, EIP-3326 and what is known of their refusals.
// No real one runs here.

import type { LocalAccount } from 'viem'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
/** Answers what a page asks; what it throws is the refusal of the wallet. */
export type SimulatedWallet = (method: string, params: Json[]) => Promise<Json>

export type WalletTerms = {
  /** The chain that it is on. */
  readonly active: number
  /** The chains that it can switch to; undefined: it cannot be asked to switch. */
  readonly known?: readonly number[]
  /** Whether it signs only for the chain that it is on. */
  readonly isStrict?: boolean
  /** Whether it wants a chain in every domain. */
  readonly needsChain?: boolean
  /** Whether its user allows a page to add a chain. */
  readonly addsChains?: boolean
}

/** Chains that MetaMask comes with. */
const OF_METAMASK = [1, 59_144, 8_453, 42_161, 56, 10, 137]

export const WALLETS = {
  'like MetaMask, on Ethereum': { active: 1, known: OF_METAMASK, isStrict: true },
  'like MetaMask, on Polygon': { active: 137, known: OF_METAMASK, isStrict: true },
  'like MetaMask, whose user allows another chain': {
    ...{ active: 1, known: OF_METAMASK, isStrict: true, addsChains: true },
  },
  'of one chain, Ethereum, that cannot switch': { active: 1, isStrict: true },
  'of one chain, Base, that cannot switch': { active: 8_453, isStrict: true },
  'that wants a chain in every domain': { active: 1, known: [1], needsChain: true },
  'that signs for any chain': { active: 8_453 },
} as const satisfies Record<string, WalletTerms>
export type WalletName = keyof typeof WALLETS

const refuse = (code: number, message: string) => Object.assign(new Error(message), { code })

/** A wallet with one account, which notes what it was asked to do. */
export function simulatedWallet(account: LocalAccount, terms: WalletTerms) {
  const { known, isStrict, needsChain, addsChains } = terms
  const chains = new Set<number>(known)
  const asked: string[] = []
  let active = terms.active
  const sign = (address: string, text: string) => {
    if (address.toLowerCase() !== account.address.toLowerCase()) {
      throw refuse(4100, 'The requested account has not been authorized by the user.')
    }
    const data = JSON.parse(text)
    const { chainId } = data.domain
    const fields = data.types.EIP712Domain?.map(({ name }: Json) => name) ?? []
    if (fields.join() !== Object.keys(data.domain).join()) {
      throw refuse(-32602, 'Invalid input: EIP712Domain does not describe the domain.')
    }
    if (needsChain && chainId === undefined) throw refuse(-32602, 'The domain has no chainId.')
    if (isStrict && chainId !== undefined && Number(chainId) !== active) {
      const text = `Provided chainId "${chainId}" must match the active chainId "${active}"`
      throw refuse(-32603, text)
    }
    return account.signTypedData(data)
  }
  const wallet: SimulatedWallet = async (method, params) => {
    asked.push(method)
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [account.address.toLowerCase()]
      case 'eth_chainId':
        return `0x${active.toString(16)}`
      case 'eth_signTypedData_v4':
        return sign(params[0], params[1])
      case 'wallet_switchEthereumChain': {
        const wanted = Number(params[0].chainId)
        if (!known) break
        if (!chains.has(wanted)) throw refuse(4902, 'Unrecognized chain ID.')
        active = wanted
        return null
      }
      case 'wallet_addEthereumChain': {
        if (!known) break
        if (!addsChains) throw refuse(4001, 'User rejected the request.')
        // A chain needs a node that answers, over https.
        if (!params[0].rpcUrls.every((url: string) => url.startsWith('https:'))) {
          throw refuse(-32602, 'Expected an array with at least one valid string HTTPS url')
        }
        chains.add(Number(params[0].chainId))
        return null
      }
    }
    throw refuse(-32601, `The method "${method}" does not exist / is not available.`)
  }
  return { wallet, asked, activeChain: () => active }
}
