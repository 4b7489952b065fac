import { useEffect, useState } from 'react'
import { t } from '../../../shared/messages.ts'
import { Notice } from '../../../shared/page.tsx'
import { shortHex } from '../../../shared/text.ts'
import type { Connection } from '../../../wallets/provider.ts'
import { useWallets } from '../../../wallets/use-wallets.ts'
import { WalletList } from '../../../wallets/wallet-list.tsx'
import { Choices, PromptHeading, type PromptProps } from './prompt-parts.tsx'
import { actingWallet } from './remembered-wallet.ts'

/** The user lets the app see an address of a wallet. */
export function AccountsPrompt({ host, prompt, isArmed, headingId }: PromptProps<'accounts'>) {
  const { domain, key } = host.ports
  const wallets = useWallets({ withDevelopment: false })
  const [acting, setActing] = useState<Connection>()
  useEffect(() => {
    actingWallet(key.fid).then(setActing, () => {})
  }, [key.fid])
  const chosen = wallets.connection ?? acting
  return (
    <>
      <PromptHeading id={headingId}>
        {t('{domain} asks for an address of your wallet', { domain })}
      </PromptHeading>
      <p>
        {t(
          'It can then see what that address owns, and ask you to sign. Each request is shown to you. You can take this back in the settings of mini apps.',
        )}
      </p>
      {chosen ? (
        <p>
          <bdi>{chosen.wallet.name}</bdi> <code>{shortHex(chosen.address)}</code>
        </p>
      ) : (
        <WalletList {...wallets} />
      )}
      {wallets.error && <Notice tone="bad">{wallets.error}</Notice>}
      <Choices
        yes={t('Share this address')}
        isArmed={isArmed && chosen !== undefined}
        onYes={() => prompt.answer(chosen)}
        onNo={() => prompt.answer(undefined)}
      />
    </>
  )
}
