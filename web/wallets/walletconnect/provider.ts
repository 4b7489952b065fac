import type { Provider } from '../provider.ts'
import { type Session, type SessionOptions, startSession, WalletError } from './session.ts'

type Options = Pick<SessionOptions, 'relayUrl' | 'projectId' | 'page' | 'showCode' | 'signal'>
type Listener = (value: never) => void

const NOT_CONNECTED = 4100
const CHAIN_UNKNOWN = 4902

/** A wallet elsewhere as a provider of EIP-1193. It is asked for a session when accounts are asked for. */
export function createProvider(options: Options): Provider {
  const listeners = new Map<string, Set<Listener>>()
  const tell = (event: string, value: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(value as never)
  }
  let session: Session | undefined
  let accounts: readonly string[] = []
  let chainId = 0

  async function connect(): Promise<string[]> {
    session ??= await startSession({
      ...options,
      onAccounts(now) {
        accounts = now
        if (now.length === 0) session = undefined
        tell('accountsChanged', addressesOf(now))
      },
      onChain: moveTo,
    })
    if (accounts.length === 0) accounts = session.accounts
    chainId ||= Number(partsOf(accounts[0] ?? '').chain)
    return addressesOf(accounts)
  }
  function moveTo(id: number): void {
    chainId = id
    tell('chainChanged', `0x${id.toString(16)}`)
  }
  /** The wallet names the chain of each account that it shares, and takes requests for these chains. */
  function switchTo([wanted]: readonly unknown[]): null {
    const id = Number((wanted as { chainId?: unknown } | undefined)?.chainId)
    if (!accounts.some((account) => partsOf(account).chain === `${id}`)) {
      throw new WalletError(CHAIN_UNKNOWN, `The wallet shares no account of chain ${id}.`)
    }
    moveTo(id)
    return null
  }

  return {
    async request(call) {
      if (call.method === 'eth_requestAccounts') return connect()
      if (!session) throw new WalletError(NOT_CONNECTED, 'The wallet is not connected any more.')
      if (call.method === 'eth_accounts') return addressesOf(accounts)
      if (call.method === 'eth_chainId') return `0x${chainId.toString(16)}`
      if (call.method === 'wallet_switchEthereumChain') return switchTo(call.params ?? [])
      return session.request(call, chainId)
    },
    on(event, listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
    },
    removeListener: (event, listener) => listeners.get(event)?.delete(listener),
    async disconnect() {
      const ended = session
      session = undefined
      await ended?.end()
    },
  }
}

/** CAIP-10, such as eip155:10:0x... */
const partsOf = (account: string) => {
  const [, chain = '', address = ''] = account.split(':')
  return { chain, address }
}

const addressesOf = (accounts: readonly string[]): string[] => [
  ...new Set(accounts.map((account) => partsOf(account).address)),
]
