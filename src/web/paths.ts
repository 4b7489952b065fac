import type { ShownCast, ShownPerson } from './app-reader.ts'

// Addresses of pages of the web client.

export const personPath = ({ username }: Pick<ShownPerson, 'username'>): string =>
  `/@${encodeURIComponent(username)}`

export const castPath = ({ hash }: Pick<ShownCast, 'hash'>): string => `/cast/${hash}`

export const channelPath = (id: string): string => `/channel/${encodeURIComponent(id)}`

/** The feed of a person's or a channel's page. */
export const feedPath = (page: string): string => `${page}/feed.atom`

export type PagePath =
  | { readonly kind: 'person'; readonly name: string }
  | { readonly kind: 'cast'; readonly hash: string }
  | { readonly kind: 'channel'; readonly id: string }

const PAGES = [
  { kind: 'person', pattern: /^@(?<name>![0-9]{1,10}|[a-z0-9][a-z0-9.-]{0,63})$/ },
  { kind: 'cast', pattern: /^cast\/(?<hash>0x[0-9a-f]{40})$/ },
  { kind: 'channel', pattern: /^channel\/(?<id>[a-z0-9-]{1,64})$/ },
] as const

/** What the page at a path shows; undefined for other pages. The path has no leading slash. */
export function readPagePath(path: string): PagePath | undefined {
  for (const { kind, pattern } of PAGES) {
    const groups = pattern.exec(path.replace(/\/$/, '').toLowerCase())?.groups
    if (groups) return { kind, ...groups } as PagePath
  }
  return undefined
}
