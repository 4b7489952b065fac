import { CopyButton } from '../shared/copy-button.tsx'
import { addressForOthers, isLoopback } from '../shared/links.ts'
import { QrCode } from '../shared/qr-code.tsx'
import type { KeyRequest } from '../types.ts'

/** A pointer like a finger is that of a phone, which is where the code would lead. */
const isPhone = () => matchMedia('(pointer: coarse)').matches

/** How to go on with the same request on another device, or in an app that takes its link. */
export function Elsewhere({ request }: { request: KeyRequest }) {
  const address = addressForOthers(location.href, request.approvalUrl)
  return (
    <details className="elsewhere" open={!isPhone()}>
      <summary>Approve on another device</summary>
      <p>Is your wallet on your phone? Point its camera here.</p>
      <QrCode text={address} label="QR code of this page’s address" />
      {isLoopback(address) && (
        <p className="muted">
          This is an address of this computer only. To open it elsewhere, run the server under an
          address that others can reach.
        </p>
      )}
      <p className="ways">
        <a href={request.deeplinkUrl}>Open in an installed app</a>
        <CopyButton value={address} what="link" isShown />
      </p>
    </details>
  )
}
