import { t } from '../shared/messages.ts'

// On a phone without a wallet in the browser, a wallet app opens this page in its own browser.

const APPS = [
  {
    name: 'MetaMask',
    link: (page: URL) => `https://link.metamask.io/dapp/${page.host}${page.pathname}${page.search}`,
  },
  {
    name: 'Coinbase Wallet',
    link: (page: URL) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page.href)}`,
  },
  {
    name: 'Trust Wallet',
    link: (page: URL) =>
      `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page.href)}`,
  },
]

/** Links that open the page in wallet apps. Nothing is asked of them until one is followed. */
export function WalletApps() {
  const page = new URL(location.href)
  return (
    <section aria-label={t('Wallet apps')}>
      <h2>{t('Open this page in a wallet app')}</h2>
      <ul className="wallet-apps">
        {APPS.map(({ name, link }) => (
          <li key={name}>
            <a className="secondary" href={link(page)} rel="noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
