import { askDevelopmentWallet, type DevelopmentAccount } from '../shared/api.ts'
import { t } from '../shared/messages.ts'
import type { Provider, Wallet } from './provider.ts'

/** What a wallet announces about itself (EIP-6963). */
type Announcement = {
  info: { uuid: string; name: string; icon?: string }
  provider: Provider
}

/** More wallets than a browser has: a flood of announcements is useless. */
const MAX_WALLETS = 24

/**
 * Reports the wallets of this browser, again whenever one announces itself. Returns a function that stops it.
 */
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
  // Wallets answer at once; one that only sets window.ethereum is listed when no other is found.
  const { ethereum } = window as { ethereum?: Provider }
  if (found.size === 0 && ethereum) {
    tell([{ id: 'window.ethereum', name: t('Browser wallet'), provider: ethereum }])
  }
  return () => window.removeEventListener('eip6963:announceProvider', onAnnounced)
}

const iconOf = (icon: string | undefined) => (icon?.startsWith('data:image/') ? { icon } : {})

/** The wallet of a development network, with its public accounts. */
export const developmentWallet = (accounts: readonly DevelopmentAccount[]): Wallet => ({
  id: 'development',
  name: t('Development account'),
  isDevelopment: true,
  provider: {
    request: async ({ method, params = [] }) =>
      method === 'eth_requestAccounts'
        ? accounts.map(({ custodyAddress }) => custodyAddress)
        : askDevelopmentWallet(method, params),
  },
})
