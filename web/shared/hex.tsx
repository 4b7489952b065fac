import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import { shortHex } from './text.ts'

/** A long value: its ends, all of it on demand, and a button that copies it. */
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
