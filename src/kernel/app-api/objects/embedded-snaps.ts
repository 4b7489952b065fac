import type { IncomingHttpHeaders } from 'node:http'
import type { AppPorts, KnownSnap } from '../ports.ts'
import type { EmbedSnap } from '../schemas.ts'

// The snaps that casts link to, as far as they are known here.

export type SnapsOfLinks = ReadonlyMap<string, EmbedSnap>

/** Of the pages in one answer, in characters of JSON; most pages have 2,000. A snap beyond it has no page. */
const MAX_PAGE_CHARACTERS = 256 * 1024

export async function readSnaps(
  { knownSnaps }: AppPorts,
  urls: readonly string[],
  headers: IncomingHttpHeaders | undefined,
): Promise<SnapsOfLinks> {
  const snaps = new Map<string, EmbedSnap>()
  let left = MAX_PAGE_CHARACTERS
  for (const [link, snap] of await knownSnaps([...new Set(urls)], headers)) {
    const size = snap.page ? sizeOf(snap.page) : 0
    const isShown = size <= left
    if (isShown) left -= size
    snaps.set(link, snapJson(snap, isShown))
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
