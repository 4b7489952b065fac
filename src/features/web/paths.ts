import { SNAP_TYPE } from '../snaps/port.ts'
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

const PERSON_LISTS = 'casts|replies|likes|followers|following|names'
const CHANNEL_LISTS = 'casts|members|followers|reported|invites|hidden|banned|removed|edit'

const PAGES = [
  {
    kind: 'person',
    pattern: RegExp(`^@(?<name>![0-9]{1,10}|[a-z0-9][a-z0-9.-]{0,63})(?:/(?:${PERSON_LISTS}))?$`),
  },
  { kind: 'cast', pattern: /^cast\/(?<hash>0x[0-9a-f]{40})$/ },
  {
    kind: 'channel',
    pattern: RegExp(`^channel/(?<id>[a-z0-9-]{1,64})(?:/(?:${CHANNEL_LISTS}))?$`),
  },
] as const

/** What the page at a path shows; undefined for other pages. The path has no leading slash. */
export function readPagePath(path: string): PagePath | undefined {
  for (const { kind, pattern } of PAGES) {
    const groups = pattern.exec(withoutEnd(path).toLowerCase())?.groups
    if (groups) return { kind, ...groups } as PagePath
  }
  return undefined
}

const SCREENS =
  /^(?:channels(?:\/new)?|notifications(?:\/settings)?|search|names|name\/[^/]+|events|join(?:\/(?:sign-in|wallet|recover))?|account|import|mail|compose|profile|development(?:\/(?:mini-apps|snaps))?|miniapps(?:\/[^/]+(?:\/about)?)?|report|bookmarks|lists(?:\/[a-z2-7]{16})?|muted|moderation|moderate(?:\/[^/]+)?|about|consent|help|rules|privacy|settings)?$/
/** Screens that show a snap of this server. */
const POLL = /^poll\/(?<id>[a-z2-7]{16})$/
const THINGS = /^(?:@|cast\/|channel\/)./

/** Whether a page exists whatever is stored: the start page, the form to join and so on. */
export const isScreen = (path: string): boolean =>
  SCREENS.test(withoutEnd(path)) || POLL.test(withoutEnd(path))

/** The Link header of a screen that shows a snap: other clients find the snap by it. */
export function linkOfScreen(path: string, publicUrl: string | undefined): string | undefined {
  const { id } = POLL.exec(withoutEnd(path))?.groups ?? {}
  if (!id) return undefined
  // A proxy may serve the front door below a path.
  const below = publicUrl ? withoutEnd(new URL(publicUrl).pathname) : ''
  return `<${below}/polls/${id}>; rel="alternate"; type="${SNAP_TYPE}"`
}

/** Whether the web client has a page for a path, be it one that says that the thing does not exist. */
export const isPage = (path: string): boolean => isScreen(path) || THINGS.test(path)

const withoutEnd = (path: string) => path.replace(/\/$/, '')
