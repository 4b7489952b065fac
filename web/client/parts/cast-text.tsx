import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { webUrl } from '../../shared/links.ts'
import { cleanText } from '../../shared/text.ts'
import type { Cast } from '../types.ts'
import { personPath } from './person.tsx'

type Piece = { start: number; end: number; show: (text: string) => ReactNode }

type TextOf = Pick<
  Cast,
  | 'text'
  | 'mentioned_profiles'
  | 'mentioned_profiles_ranges'
  | 'mentioned_channels'
  | 'mentioned_channels_ranges'
>

/** A text with mentions, channels and addresses as links. Everything else in it is text. */
export function CastText({ cast }: { cast: TextOf }) {
  return (
    <p className="cast-text" dir="auto">
      {withPieces(cast.text, [...mentionsIn(cast), ...urlsIn(cast.text)])}
    </p>
  )
}

/** A text with addresses as links, such as a bio. */
export const LinkedText = ({ text }: { text: string }) => withPieces(text, urlsIn(text))

function mentionsIn(cast: TextOf): Piece[] {
  const people = cast.mentioned_profiles_ranges.map((range, i) => {
    const to = personPath(cast.mentioned_profiles[i]!)
    return { ...range, show: linkTo(to) }
  })
  const channels = cast.mentioned_channels_ranges.map((range, i) => {
    const to = `/channel/${encodeURIComponent(cast.mentioned_channels[i]!.id)}`
    return { ...range, show: linkTo(to) }
  })
  return [...people, ...channels]
}

const linkTo = (to: string) => (text: string) => (
  <Link to={to}>
    <bdi>{text}</bdi>
  </Link>
)

const URLS = /https?:\/\/[^\s<>"'`\p{Cc}\p{Cf}]+/giu
/** Marks that end a sentence rather than an address. */
const TRAILING = /[.,;:!?)\]}…]+$/

function urlsIn(text: string): Piece[] {
  return [...text.matchAll(URLS)].flatMap((match) => {
    const found = match[0].replace(TRAILING, '')
    const url = webUrl(found)
    if (!url) return []
    const show = () => <OutLink url={url} />
    return [{ start: match.index, end: match.index + found.length, show }]
  })
}

const MAX_PATH_CHARACTERS = 40

/** The host as it is sent, in ASCII: a name in other letters cannot pass for another host. */
export function urlText({ host, pathname, search }: URL): string {
  const path = `${pathname}${search}`.replace(/\/$/, '')
  return path.length > MAX_PATH_CHARACTERS
    ? `${host}${path.slice(0, MAX_PATH_CHARACTERS - 1)}…`
    : host + path
}

/** A link that leaves this server. */
export const OutLink = ({ url, children }: { url: URL; children?: ReactNode }) => (
  <a href={url.href} target="_blank" rel="noopener noreferrer nofollow ugc">
    {children ?? <bdi>{urlText(url)}</bdi>}
  </a>
)

/** The first of pieces that overlap is kept. */
function withPieces(text: string, pieces: readonly Piece[]): ReactNode[] {
  const shown: ReactNode[] = []
  let at = 0
  for (const { start, end, show } of pieces.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end > text.length) continue
    shown.push(cleanText(text.slice(at, start)))
    shown.push(<span key={start}>{show(cleanText(text.slice(start, end)))}</span>)
    at = end
  }
  return [...shown, cleanText(text.slice(at))]
}
