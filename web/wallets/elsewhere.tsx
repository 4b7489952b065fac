import { CopyButton } from '../shared/copy-button.tsx'
import { addressForOthers, isLoopback } from '../shared/links.ts'
import { t } from '../shared/messages.ts'
import { QrCode } from '../shared/qr-code.tsx'

/** A coarse pointer means a phone, for which the QR code is of no use. */
const isPhone = () => matchMedia('(pointer: coarse)').matches

type Props = {
  /** The page's address as the server gives it to other devices. */
  readonly publicAddress: string | undefined
  readonly deeplinkUrl: string
}

/** Ways to open the same request on another device or in a wallet app. */
export function Elsewhere({ publicAddress, deeplinkUrl }: Props) {
  const address = addressForOthers(location.href, publicAddress)
  return (
    <details className="elsewhere" open={!isPhone()}>
      <summary>{t('Approve on another device')}</summary>
      <p>{t('Is your wallet or passkey on your phone? Scan this code with its camera.')}</p>
      <QrCode text={address} label={t('QR code of this page’s address')} />
      {isLoopback(address) && (
        <p className="muted">
          {t(
            'This address works on this computer only. To open it on another device, the server needs an address that the device can reach.',
          )}
        </p>
      )}
      <p className="ways">
        <a href={deeplinkUrl}>{t('Open in an installed app')}</a>
        <CopyButton value={address} text={t('Copy the link')} isShown />
      </p>
    </details>
  )
}
