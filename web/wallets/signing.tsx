import { Busy, Notice } from '../shared/page.tsx'
import { shortHex } from '../shared/text.ts'
import type { Connection } from './provider.ts'

// What pages say about a signature, of a wallet that asks its user or of a key that the page has opened.

type Props = { readonly connection: Connection }

/** While it is awaited. */
export const Signing = ({ connection: { wallet } }: Props) => (
  <Busy>{wallet.isOpened ? 'Signing …' : `Waiting for your signature in ${wallet.name} …`}</Busy>
)

/** Before it is asked for. */
export const WillSign = ({ connection: { wallet } }: Props) => (
  <p className="muted">
    {wallet.isOpened
      ? 'You sign with the key of your account.'
      : 'Your wallet will ask you to sign.'}{' '}
    There is no fee.
  </p>
)

/** Its signature is of no use here. */
export const NoAccount = ({ connection: { wallet, address } }: Props) => (
  <Notice tone="warn">
    {wallet.isOpened ? (
      'This key has no account here. Use another one.'
    ) : (
      <>
        The wallet account <code>{shortHex(address)}</code> has no account here. Switch to another
        account in your wallet, or create one.
      </>
    )}
  </Notice>
)
