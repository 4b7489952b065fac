// The links of invites that this browser has made. The server keeps only hashes of their codes.

const KEY = 'rookery.invites'

type Links = Readonly<Record<string, string>>

export function keptInviteLinks(): Links {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}')
  } catch {
    return {}
  }
}

/** Adds links and forgets those of invites that are not known any more. */
export function keepInviteLinks(ids: readonly string[], added: Links): void {
  const all = { ...keptInviteLinks(), ...added }
  const known = Object.entries(all).filter(([id]) => ids.includes(id))
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(known)))
  } catch {}
}
