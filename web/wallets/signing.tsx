import { t } from '../shared/messages.ts'
import { Busy, Notice } from '../shared/page.tsx'
import { rich } from '../shared/rich.tsx'
import { shortHex } from '../shared/text.ts'
import type { Connection } from './provider.ts'

// What pages say about a signature, of a wallet that asks its user or of a key that the page has opened.

type Props = { readonly connection: Connection }

/** While it is awaited. */
export const Signing = ({ connection: { wallet } }: Props) => (
  <Busy>
    {wallet.isOpened
      ? t('Signing …')
      : t('Waiting for your signature in {name} …', { name: wallet.name })}
  </Busy>
)

/** Before it is asked for. */
export const WillSign = ({ connection: { wallet } }: Props) => (
  <p className="muted">
    {wallet.isOpened
      ? t('You sign with the key of your account.')
      : t('Your wallet will ask you to sign.')}{' '}
    {t('There is no fee.')}
  </p>
)

/** Its signature is of no use here. */
export const NoAccount = ({ connection: { wallet, address } }: Props) => (
  <Notice tone="warn">
    {wallet.isOpened
      ? t('This key has no account here. Use another one.')
      : rich(
          'The wallet account {address} has no account here. Switch to another account in your wallet, or create one.',
          { address: <code>{shortHex(address)}</code> },
        )}
  </Notice>
)
