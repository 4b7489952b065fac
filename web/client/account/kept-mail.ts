import { accountKey } from '../session/account-storage.ts'

// Which accounts have an e-mail address, or are confirming one, as far as this browser was told: that alone is kept, and not the address.

const keyOf = (fid: number) => accountKey('mail', fid)

export function noteMail(fid: number, hasMail: boolean): void {
  try {
    if (hasMail) localStorage.setItem(keyOf(fid), '1')
    else localStorage.removeItem(keyOf(fid))
  } catch {}
}

export function hasKnownMail(fid: number): boolean {
  try {
    return localStorage.getItem(keyOf(fid)) !== null
  } catch {
    return false
  }
}
