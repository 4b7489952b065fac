import { fetchJson } from '../../../shared/request.ts'
import type { Connection } from '../../../wallets/provider.ts'
import { walletConsents } from '../wallet/consents.ts'
import { requestWallet, type WalletPorts, walletErrorOf } from '../wallet/provider.ts'
import type { RefusalTerms } from '../wallet/refusals.ts'
import type { AppHost } from './app-host.ts'
import { rememberedWallet } from './remembered-wallet.ts'

// The wallet of one running app.

type Rpc = { readonly method: string; readonly params?: unknown; readonly id?: unknown }

/** A square, because apps show an icon and load nothing from here. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Crect width=%2232%22 height=%2232%22 rx=%228%22 fill=%22%230b5d57%22/%3E%3C/svg%3E'

type AppWallet = {
  readonly request: (rpc: Rpc) => Promise<unknown>
  /** The same with the error as a value, as JSON-RPC has it. */
  readonly requestRpc: (rpc: Rpc) => Promise<object>
  readonly announce: () => void
}

const wallets = new WeakMap<AppHost, AppWallet>()

export function walletFor(host: AppHost): AppWallet {
  const known = wallets.get(host)
  if (known) return known
  const made = createWallet(host)
  wallets.set(host, made)
  return made
}

function createWallet(host: AppHost): AppWallet {
  const ports = portsOf(host)
  const request = ({ method, params }: Rpc) =>
    requestWallet(ports, method, Array.isArray(params) ? params : [])
  const uuid = crypto.randomUUID()
  return {
    request,
    async requestRpc(rpc) {
      const answer = { jsonrpc: '2.0', id: rpc.id ?? 0 }
      try {
        return { ...answer, result: (await request(rpc)) ?? null }
      } catch (error) {
        return { ...answer, error: walletErrorOf(error) }
      }
    },
    announce: () =>
      host.emit({
        event: 'eip6963:announceProvider',
        info: { uuid, name: 'Rookery', icon: ICON, rdns: 'rookery.wallet' },
      }),
  }
}

function portsOf(host: AppHost): WalletPorts {
  const { domain, key } = host.ports
  let terms: Promise<RefusalTerms> | undefined
  let isLooked = false
  const keep = (connection: Connection | undefined) => {
    if (!connection) return undefined
    host.set({ connection })
    follow(host, connection)
    return connection
  }
  return {
    terms: () => {
      terms ??= readTerms(domain)
      return terms
    },
    chains: async () => (await host.ports.terms()).chains,
    async connection() {
      const { connection } = host.state()
      if (connection || isLooked) return connection
      isLooked = true
      return keep(await rememberedWallet(key.fid, domain))
    },
    async connect() {
      const connection = await host.prompts.ask('accounts', {})
      if (!connection) return undefined
      const { wallet, address } = connection
      walletConsents.put(key.fid, domain, { wallet: wallet.name, address })
      host.emitWallet('connect', [{ chainId: `0x${connection.chainId.toString(16)}` }])
      host.emitWallet('accountsChanged', [[address]])
      return keep(connection)
    },
    confirm: async (words) => (await host.prompts.ask('wallet', words)) === true,
  }
}

/** Passes on that the wallet changed its chain. Other accounts of the wallet are not the app's. */
function follow(host: AppHost, { wallet: { provider } }: Connection): void {
  provider.on?.('chainChanged', (chain: unknown) => host.emitWallet('chainChanged', [chain]))
}

type Structs = {
  readonly structs: Readonly<Record<string, { readonly domain: { verifyingContract?: string } }>>
}

/** The contracts of this server's accounts and names, besides the deployed ones. */
async function readTerms(domain: string): Promise<RefusalTerms> {
  const found = await Promise.all(
    ['/accounts/v1/domains', '/registry/domains'].map((path) => fetchJson<Structs>(path)),
  )
  const contracts = found
    .flatMap(({ structs }) => Object.values(structs))
    .flatMap((struct) => struct.domain.verifyingContract ?? [])
  return { domain, contracts }
}
