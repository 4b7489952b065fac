import { useState } from 'react'
import { Icon, type IconName } from './icons.tsx'
import { t } from './messages.ts'

/** How long "Copied" is shown. */
const COPIED_MS = 2_000

/** Copies a value to the clipboard; hidden where there is none, as on plain http. Its text is read out where it shows "Copy" alone. */
export function CopyButton({
  value,
  text,
  isShown = false,
  icon,
}: {
  value: string
  text: string
  isShown?: boolean
  icon?: IconName
}) {
  const [isCopied, setCopied] = useState(false)
  if (!navigator.clipboard) return null
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
    setTimeout(() => setCopied(false), COPIED_MS)
  }
  return (
    <button
      type="button"
      className="link"
      aria-label={isCopied || isShown ? undefined : text}
      onClick={() => copy().catch(() => {})}
    >
      {icon && <Icon name={icon} />}
      <span aria-live="polite">{isCopied ? t('Copied') : isShown ? text : t('Copy')}</span>
    </button>
  )
}
