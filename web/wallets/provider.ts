import { t } from '../shared/messages.ts'

// Talks to any Ethereum wallet (EIP-1193) and explains its errors.

export type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: string, listener: (value: never) => void): unknown
  removeListener?(event: string, listener: (value: never) => void): unknown
}

/** An announced wallet. */
export type Wallet = {
  readonly id: string
  readonly name: string
  /** An image as data: URL; pages load nothing from other sites. */
  readonly icon?: string
  readonly provider: Provider
  /** Its accounts are public: on a development network. */
  readonly isDevelopment?: boolean
  /** A key that the page has opened itself: it signs without a question. */
  readonly isOpened?: boolean
}

/** A wallet that has given the page access to accounts. */
export type Connection = {
  readonly wallet: Wallet
  readonly addresses: readonly string[]
  /** The account in use. */
  readonly address: string
  readonly chainId: number
}

const USER_REJECTED = 4001
const CHAIN_UNKNOWN = 4902
const REQUEST_OPEN = -32002
/** Some wallets include whole requests in their messages. */
const MAX_MESSAGE_CHARACTERS = 300

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

export const isRejectedByUser = (error: unknown): boolean => codeOf(error) === USER_REJECTED

/** The error in one sentence for the user of the wallet. */
export function explain(error: unknown): string {
  if (isRejectedByUser(error)) return t('You declined in your wallet. Nothing was sent.')
  if (codeOf(error) === REQUEST_OPEN) {
    return t(
      'Your wallet is still waiting for your answer to an earlier request. Open it to continue.',
    )
  }
  const message = (error as { message?: unknown } | undefined)?.message
  if (typeof message !== 'string' || message === '') return t('Something went wrong. Try again.')
  return message.slice(0, MAX_MESSAGE_CHARACTERS)
}

/** Requests access to accounts; the wallet asks its user. */
export async function connect(wallet: Wallet): Promise<Connection> {
  const { provider } = wallet
  const addresses = addressesIn(await provider.request({ method: 'eth_requestAccounts' }))
  const [address] = addresses
  if (address === undefined) throw new Error(t('The wallet shares no account with this page.'))
  return { wallet, addresses, address, chainId: await chainOf(provider) }
}

export const addressesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => /^0x[0-9a-f]{40}$/i.test(String(one))) : []

export const chainOf = async (provider: Provider): Promise<number> =>
  Number(await provider.request({ method: 'eth_chainId' }))

/** Switches the wallet to a chain. Returns whether it does; the user may refuse. */
export async function switchChain(provider: Provider, chainId: number): Promise<boolean> {
  if ((await chainOf(provider)) === chainId) return true
  try {
    const params = [{ chainId: `0x${chainId.toString(16)}` }]
    await provider.request({ method: 'wallet_switchEthereumChain', params })
    return true
  } catch (error) {
    if (isRejectedByUser(error)) throw error
    return codeOf(error) === CHAIN_UNKNOWN ? false : (await chainOf(provider)) === chainId
  }
}

const CHAINS: Readonly<Record<number, string>> = {
  1: t('Ethereum'),
  10: t('OP Mainnet'),
  11155111: t('Sepolia'),
  11155420: t('OP Sepolia'),
}

export const chainName = (chainId: number): string =>
  CHAINS[chainId] ?? t('Chain {chainId}', { chainId: String(chainId) })
