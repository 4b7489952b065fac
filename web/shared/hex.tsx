import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import { t } from './messages.ts'
import { shortHex } from './text.ts'

type Props = {
  value: string
  /** What the buttons do, for those who hear them. */
  wholeText: string
  copyText: string
}

/** A long value: shortened, in full on demand, with a copy button. */
export function Hex({ value, wholeText, copyText }: Props) {
  const [isWhole, setWhole] = useState(false)
  return (
    <span className="hex">
      <code>{isWhole ? value : shortHex(value)}</code>
      <span className="hex-buttons">
        <button
          type="button"
          className="link"
          aria-expanded={isWhole}
          title={isWhole ? undefined : wholeText}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? t('Shorten') : t('Show all')}
        </button>
        <CopyButton value={value} text={copyText} />
      </span>
    </span>
  )
}
