import { t } from '../../../shared/messages.ts'
import type { Connection } from '../../../wallets/provider.ts'
import { type RefusalTerms, refusalOf } from './refusals.ts'
import { needsUser, type Words, wordsOf } from './words.ts'

// The EIP-1193 provider of an app: its user's wallet, after the rules of this network and the consent of the user.

/** As JSON-RPC has them; published clients make their error classes of the codes. */
export class WalletError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const REJECTED = 4001
const UNAUTHORIZED = 4100
const UNSUPPORTED = 4200
const DISCONNECTED = 4900
const CHAIN_UNKNOWN = 4902
const REFUSED = -32602

/** Answered by the wallet without asking its user. */
const READS = new Set([
  'net_version',
  'eth_call',
  'eth_getBalance',
  'eth_blockNumber',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_estimateGas',
  'eth_gasPrice',
])

export type WalletPorts = {
  readonly terms: () => Promise<RefusalTerms>
  /** CAIP-2 ids; empty where apps get no wallet. */
  readonly chains: () => Promise<readonly string[]>
  /** The wallet that the user lets the app see. */
  readonly connection: () => Promise<Connection | undefined>
  /** Asks the user for one; undefined when refused. */
  readonly connect: () => Promise<Connection | undefined>
  /** Asks the user about a request. */
  readonly confirm: (words: Words) => Promise<boolean>
}

export async function requestWallet(
  { terms, chains, connection, connect, confirm }: WalletPorts,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  if ((await chains()).length === 0) {
    throw new WalletError(DISCONNECTED, t('This server gives mini apps no wallet.'))
  }
  const known = await connection()
  if (method === 'eth_accounts') return known ? [known.address] : []
  if (method === 'eth_chainId' && !known) return hexChain((await chains())[0]!)
  if (method === 'eth_requestAccounts') {
    const chosen = known ?? (await connect())
    if (!chosen) throw new WalletError(REJECTED, t('The user refused to share an address.'))
    return [chosen.address]
  }
  if (!READS.has(method) && method !== 'eth_chainId' && !needsUser(method)) {
    throw new WalletError(UNSUPPORTED, t('This wallet does not do {method}.', { method }))
  }
  const refusal = refusalOf(method, params, await terms())
  if (refusal) throw new WalletError(REFUSED, `Rookery refuses this request: ${refusal}.`)
  if (!known) throw new WalletError(UNAUTHORIZED, t('Ask for eth_requestAccounts first.'))
  if (!isOf(known.address, method, params)) {
    throw new WalletError(
      UNAUTHORIZED,
      t('This app may only use {address}.', { address: known.address }),
    )
  }
  if (method === 'wallet_switchEthereumChain' && !(await chains()).includes(chainOf(params))) {
    throw new WalletError(CHAIN_UNKNOWN, t('This server gives mini apps no wallet on that chain.'))
  }
  if (needsUser(method)) {
    const { domain } = await terms()
    if (!(await confirm(wordsOf(method, params, domain)))) {
      throw new WalletError(REJECTED, t('The user refused.'))
    }
  }
  return known.wallet.provider.request({ method, params })
}

/** Whether a request is in the name of the address that the user has shared: a wallet may hold others. */
function isOf(address: string, method: string, params: readonly unknown[]): boolean {
  const [first, second] = params
  const { from } = (first ?? {}) as { from?: unknown }
  const who =
    method === 'personal_sign'
      ? second
      : method === 'eth_signTypedData_v4'
        ? first
        : (from ?? address)
  return String(who).toLowerCase() === address.toLowerCase()
}

const chainOf = ([wanted]: readonly unknown[]): string =>
  `eip155:${Number((wanted as { chainId?: unknown } | undefined)?.chainId)}`

const hexChain = (chain: string) => `0x${Number(chain.replace('eip155:', '')).toString(16)}`

/** An error as it is sent to the app. */
export function walletErrorOf(error: unknown): { code: number; message: string; details: string } {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  const text = String(message ?? t('The wallet failed.')).slice(0, 300)
  return { code: Number.isSafeInteger(code) ? Number(code) : -32603, message: text, details: text }
}
