import { useSyncExternalStore } from 'react'
import { accountKey } from '../session/account-storage.ts'

/** What a viewer has chosen for domains, by domain. Kept in this browser only. */
export type DomainChoices<T> = {
  of(fid: number): Readonly<Record<string, T>>
  put(fid: number, domain: string, choice: T): void
  remove(fid: number, domain: string): void
  use(fid: number): Readonly<Record<string, T>>
}

const MAX_CHOICES = 200

/** Choices of one kind, kept under a name. */
export function domainChoices<T>(name: string): DomainChoices<T> {
  type Choices = Readonly<Record<string, T>>
  const storageKey = (fid: number) => accountKey(name, fid)
  const listeners = new Set<() => void>()
  const NONE: Choices = {}
  const read = new Map<number, { readonly text: string; readonly choices: Choices }>()

  function of(fid: number): Choices {
    try {
      const text = localStorage.getItem(storageKey(fid)) ?? ''
      const known = read.get(fid)
      if (known?.text === text) return known.choices
      const choices: Choices = text === '' ? NONE : JSON.parse(text)
      read.set(fid, { text, choices })
      return choices
    } catch {
      return NONE
    }
  }

  function write(fid: number, choices: Choices): void {
    try {
      const kept = Object.entries(choices).slice(-MAX_CHOICES)
      localStorage.setItem(storageKey(fid), JSON.stringify(Object.fromEntries(kept)))
    } catch {}
    for (const listener of listeners) listener()
  }

  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  return {
    of,
    put: (fid, domain, choice) => write(fid, { ...of(fid), [domain]: choice }),
    remove(fid, domain) {
      const { [domain]: _, ...others } = of(fid)
      write(fid, others)
    },
    use: (fid) => useSyncExternalStore(subscribe, () => of(fid)),
  }
}
