import { useSyncExternalStore } from 'react'

// Which apps see which address of the user's wallets. Kept in this browser only.

export type Consent = { readonly wallet: string; readonly address: string }
type Consents = Readonly<Record<string, Consent>>

const MAX_CONSENTS = 200
const storageKey = (fid: number) => `rookery.miniapps.wallet.${fid}`
const listeners = new Set<() => void>()
const NONE: Consents = {}
const read = new Map<number, { readonly text: string; readonly consents: Consents }>()

/** By domain. */
export function consentsOf(fid: number): Consents {
  try {
    const text = localStorage.getItem(storageKey(fid)) ?? ''
    const known = read.get(fid)
    if (known?.text === text) return known.consents
    const consents: Consents = text === '' ? NONE : JSON.parse(text)
    read.set(fid, { text, consents })
    return consents
  } catch {
    return NONE
  }
}

function write(fid: number, consents: Consents): void {
  try {
    const kept = Object.entries(consents).slice(-MAX_CONSENTS)
    localStorage.setItem(storageKey(fid), JSON.stringify(Object.fromEntries(kept)))
  } catch {}
  for (const listener of listeners) listener()
}

export const giveConsent = (fid: number, domain: string, consent: Consent): void =>
  write(fid, { ...consentsOf(fid), [domain]: consent })

export function withdrawConsent(fid: number, domain: string): void {
  const { [domain]: _, ...others } = consentsOf(fid)
  write(fid, others)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useConsents = (fid: number): Consents =>
  useSyncExternalStore(subscribe, () => consentsOf(fid))
