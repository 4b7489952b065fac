import { useEffect, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { explain } from '../../wallets/provider.ts'
import { useWallets } from '../../wallets/use-wallets.ts'
import { WalletList } from '../../wallets/wallet-list.tsx'
import type { Opened } from '../custody/open.ts'

type Props = { onOpened: (opened: Opened) => Promise<void> }

/** For accounts that belong to a wallet. */
export function WalletUnlock({ onOpened }: Props) {
  const wallets = useWallets({ withDevelopment: false })
  const { connection } = wallets
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each connection
  useEffect(() => {
    if (!connection) return
    setProblem(undefined)
    onOpened({ connection, words: undefined }).catch((error) => setProblem(explain(error)))
  }, [connection])
  return (
    <details className="unlock">
      <summary>{t('A wallet')}</summary>
      <WalletList {...wallets} />
      {problem && <Notice tone="bad">{problem}</Notice>}
    </details>
  )
}
