import { useCallback, useState } from 'react'
import { cleanName } from '../shared/text.ts'

// Names that the viewer gives to keys. They stay in this browser: what somebody calls an app is not for others.

const STORE = 'rookery.key-names'
export const MAX_NAME_CHARACTERS = 40
/** The oldest names go first. An account has a few keys; a browser may see several accounts. */
const MAX_NAMES = 200

type Names = Readonly<Record<string, string>>

/** The name of each key, and how to change it; an empty one removes it. */
export function useKeyNames(): readonly [Names, (key: string, name: string) => void] {
  const [names, setNames] = useState(readNames)
  const rename = useCallback((key: string, name: string) => {
    // Read again: another tab may have written since.
    const { [key]: _, ...others } = readNames()
    const clean = cleanName(name).slice(0, MAX_NAME_CHARACTERS)
    const all = Object.entries(clean === '' ? others : { ...others, [key]: clean })
    const kept = Object.fromEntries(all.slice(-MAX_NAMES))
    setNames(kept)
    try {
      localStorage.setItem(STORE, JSON.stringify(kept))
    } catch {
      // The browser stores nothing; the name lasts as long as the page.
    }
  }, [])
  return [names, rename]
}

function readNames(): Names {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? '{}')
    const entries = Object.entries(stored as object)
    return Object.fromEntries(entries.filter(([, name]) => typeof name === 'string'))
  } catch {
    return {}
  }
}
