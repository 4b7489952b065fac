import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import { shortHex } from './text.ts'

/** A long value: shortened, in full on demand, with a copy button. */
export function Hex({ value, what }: { value: string; what: string }) {
  const [isWhole, setWhole] = useState(false)
  return (
    <span className="hex">
      <code>{isWhole ? value : shortHex(value)}</code>
      <span className="hex-buttons">
        <button
          type="button"
          className="link"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Shorten' : 'Show all'} <span className="unseen">of the {what}</span>
        </button>
        <CopyButton value={value} what={what} />
      </span>
    </span>
  )
}
