import { useState } from 'react'
import { Icon, type IconName } from './icons.tsx'

/** How long "Copied" is shown. */
const COPIED_MS = 2_000

/** Copies a text to the clipboard; hidden where there is none, as on plain http. */
export function CopyButton({
  value,
  what,
  isShown = false,
  icon,
}: {
  value: string
  what: string
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
    <button type="button" className="link" onClick={() => copy().catch(() => {})}>
      {icon && <Icon name={icon} />}
      <span>
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>{' '}
        <span className={isShown ? undefined : 'unseen'}>the {what}</span>
      </span>
    </button>
  )
}
