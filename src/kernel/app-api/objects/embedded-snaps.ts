import type { AppPorts, KnownSnap } from '../ports.ts'
import type { EmbedSnap } from '../schemas.ts'

// The snaps that casts link to, as far as they are known here.

export type SnapsOfLinks = ReadonlyMap<string, EmbedSnap>

/** Of the pages in one answer, in characters of JSON; most pages have 2,000. A snap beyond it has no page. */
const MAX_PAGE_CHARACTERS = 256 * 1024

export async function readSnaps(
  { knownSnap }: AppPorts,
  urls: readonly string[],
): Promise<SnapsOfLinks> {
  const links = [...new Set(urls)]
  const found = await Promise.all(links.map((url) => knownSnap(url)))
  const snaps = new Map<string, EmbedSnap>()
  let left = MAX_PAGE_CHARACTERS
  for (const [i, snap] of found.entries()) {
    if (!snap) continue
    const size = snap.page ? sizeOf(snap.page) : 0
    const isShown = size <= left
    if (isShown) left -= size
    snaps.set(links[i]!, snapJson(snap, isShown))
  }
  return snaps
}

export const snapJson = ({ url, page, newerVersion }: KnownSnap, hasPage = true): EmbedSnap => ({
  url,
  ...(page && hasPage && { page }),
  ...(newerVersion !== undefined && { newer_version: newerVersion }),
})

const sizes = new WeakMap<object, number>()
const sizeOf = (page: object): number =>
  sizes.getOrInsertComputed(page, () => JSON.stringify(page).length)
