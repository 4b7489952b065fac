import { CopyButton } from '../../shared/copy-button.tsx'
import { QrCode } from '../../shared/qr-code.tsx'
import type { Code } from './wallet.ts'

/** What a wallet on another device reads, and a link for one on this device. */
export function WalletCode({ code: { uri, giveUp } }: { code: Code }) {
  return (
    <section className="wallet-code" aria-label="Code for your wallet">
      <p role="status">Scan this code with your wallet app, and agree there.</p>
      <QrCode text={uri} label="Code for wallet apps" />
      <p>
        <a href={uri}>Open a wallet app on this device</a>
      </p>
      <CopyButton value={uri} what="code" isShown />
      <button type="button" className="secondary" onClick={giveUp}>
        Cancel
      </button>
    </section>
  )
}
