// The names and limits of the format of snaps, version 2.0, and of version 1.0 where published servers still answer it.
// Source: the public repository farcasterxyz/snap at 615c9c4, pages "constraints", "elements" and "http-headers".

export const SNAP_TYPE = 'application/vnd.farcaster.snap+json'
/** A compact JFS by the key of the viewer, in requests with GET. */
export const SNAP_PAYLOAD_HEADER = 'x-snap-payload'

export const VERSIONS = ['1.0', '2.0'] as const
export type SnapVersion = (typeof VERSIONS)[number]

export const COLORS = ['gray', 'blue', 'red', 'amber', 'green', 'teal', 'purple', 'pink'] as const
export const COLORS_AND_ACCENT = ['accent', ...COLORS] as const
export const DEFAULT_ACCENT = 'purple'
export const EFFECTS = ['confetti', 'fireworks'] as const

export const ICONS = [
  ...['arrow-right', 'arrow-left', 'external-link', 'chevron-right'],
  ...['check', 'x', 'alert-triangle', 'info', 'clock'],
  ...['heart', 'message-circle', 'repeat', 'share', 'user', 'users'],
  ...['star', 'trophy', 'zap', 'flame', 'gift'],
  ...['image', 'play', 'pause', 'wallet', 'coins'],
  ...['plus', 'minus', 'refresh-cw', 'bookmark'],
  ...['thumbs-up', 'thumbs-down', 'trending-up', 'trending-down'],
]

/** How large a page may be. */
export type Limits = {
  readonly elements: number
  readonly rootChildren: number
  readonly children: number
  /** From the root to the deepest element, both counted. */
  readonly levels: number
  readonly paginators: number
}

/** Version 1.0 has no limits; these are ours. */
export const LIMITS: Readonly<Record<SnapVersion, Limits>> = {
  '1.0': { elements: 256, rootChildren: 64, children: 64, levels: 16, paginators: 1 },
  '2.0': { elements: 64, rootChildren: 7, children: 6, levels: 5, paginators: 1 },
}
