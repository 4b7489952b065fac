import { t } from '../shared/messages.ts'
import { Notice } from '../shared/page.tsx'
import type { Wallets } from './use-wallets.ts'

/** The wallets to choose from. */
export function WalletList({ wallets, asking, error, connect }: Wallets) {
  return (
    <>
      {wallets.length === 0 ? (
        <p className="muted">
          {t(
            'No wallet was found in this browser. Install one, or open this page in a browser that has your wallet.',
          )}
        </p>
      ) : (
        <ul className="wallets">
          {wallets.map((wallet) => (
            <li key={wallet.id}>
              <button
                type="button"
                className="choice"
                disabled={asking !== undefined}
                aria-busy={asking === wallet}
                onClick={() => connect(wallet)}
              >
                {wallet.icon ? (
                  <img src={wallet.icon} alt="" width="36" height="36" />
                ) : (
                  <span className="letter" aria-hidden="true">
                    {wallet.name.slice(0, 1)}
                  </span>
                )}
                <span className="choice-text">
                  <bdi>{wallet.name}</bdi>
                  {wallet.isDevelopment && (
                    <span className="muted">{t('A public test account of this network')}</span>
                  )}
                  {asking === wallet && (
                    <span className="muted" role="status">
                      {t('Waiting for your wallet …')}
                    </span>
                  )}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="muted">
        {t(
          'This page cannot reach a wallet on another device. To use one, open this page there, in the browser of the wallet app.',
        )}
      </p>
      {error && <Notice tone="bad">{error}</Notice>}
    </>
  )
}
