import { lazy, Suspense, useState } from 'react'
import { face } from '../shared/face.ts'
import { Icon } from '../shared/icons.tsx'
import { t } from '../shared/messages.ts'
import { Busy, isAtFrontDoor } from '../shared/page.tsx'
import type { Wallets } from './use-wallets.ts'
import { WalletApps } from './wallet-apps.tsx'
import { WalletList } from './wallet-list.tsx'

// Loaded when it is wanted: it makes keys from words, which is more code than the rest of the page.
const Unlock = lazy(async () => ({
  default: (await import('../client/custody/unlock.tsx')).Unlock,
}))

/** The ways to sign: the account of somebody who joined without a wallet, which only the front door opens, and wallets. */
export function AccountWays({ wallets }: { wallets: Wallets }) {
  const [isWanted, setWanted] = useState(false)
  const hasWallets = wallets.wallets.length > 0
  if (!isAtFrontDoor) {
    return (
      <>
        <WalletList {...wallets} />
        {!hasWallets && <WalletApps />}
      </>
    )
  }
  if (isWanted || !hasWallets) {
    return (
      <>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a wallet that announces itself late changes nothing for who has begun */}
        <div onFocus={() => setWanted(true)}>
          <Suspense fallback={<Busy>{t('One moment …')}</Busy>}>
            <Unlock onOpened={({ connection }) => wallets.take(connection)} />
          </Suspense>
        </div>
        <details className="unlock">
          <summary>{t('A wallet')}</summary>
          <WalletList {...wallets} />
          {!hasWallets && <WalletApps />}
        </details>
      </>
    )
  }
  return (
    <>
      <button type="button" className="choice" onClick={() => setWanted(true)}>
        <span className="letter">
          <Icon name="person" />
        </span>
        <span className="choice-text">
          {t('Passkey or password')}
          <span className="muted">{t('For accounts made at {name}', { name: face.name })}</span>
        </span>
      </button>
      <WalletList {...wallets} />
    </>
  )
}
