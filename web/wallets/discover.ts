import { askDevelopmentWallet, type DevelopmentAccount } from '../shared/api.ts'
import type { Provider, Wallet } from './provider.ts'

/** What a wallet says of itself (EIP-6963). */
type Announcement = {
  info: { uuid: string; name: string; icon?: string }
  provider: Provider
}

/** More wallets than anybody has: a page full of announcements is not of use. */
const MAX_WALLETS = 24

/** Tells the wallets of this browser, again whenever one comes forward. Returns how to stop. */
export function discoverWallets(tell: (wallets: readonly Wallet[]) => void): () => void {
  const found = new Map<string, Wallet>()
  const onAnnounced = (event: Event) => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail
    if (found.size === MAX_WALLETS) return
    found.set(info.uuid, { id: info.uuid, name: info.name, provider, ...iconOf(info.icon) })
    tell([...found.values()])
  }
  window.addEventListener('eip6963:announceProvider', onAnnounced)
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  // Wallets answer at once; one that only sets window.ethereum is listed when none has.
  const { ethereum } = window as { ethereum?: Provider }
  if (found.size === 0 && ethereum) {
    tell([{ id: 'window.ethereum', name: 'Browser wallet', provider: ethereum }])
  }
  return () => window.removeEventListener('eip6963:announceProvider', onAnnounced)
}

const iconOf = (icon: string | undefined) => (icon?.startsWith('data:image/') ? { icon } : {})

/** The wallet of a development network, which holds the accounts that everybody knows. */
export const developmentWallet = (accounts: readonly DevelopmentAccount[]): Wallet => ({
  id: 'development',
  name: 'Development account',
  isDevelopment: true,
  provider: {
    request: async ({ method, params = [] }) =>
      method === 'eth_requestAccounts'
        ? accounts.map(({ custodyAddress }) => custodyAddress)
        : askDevelopmentWallet(method, params),
  },
})
