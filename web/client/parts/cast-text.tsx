import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { cleanText } from '../../shared/text.ts'
import type { Cast } from '../types.ts'
import { personPath } from './person.tsx'
import { linksIn, urlText } from './text-links.ts'

type Piece = { start: number; end: number; show: (text: string) => ReactNode }

type TextOf = Pick<
  Cast,
  | 'text'
  | 'lang'
  | 'mentioned_profiles'
  | 'mentioned_profiles_ranges'
  | 'mentioned_channels'
  | 'mentioned_channels_ranges'
>

/** A text with mentions, channels, tags and addresses as links. Everything else in it is text. */
export function CastText({ cast }: { cast: TextOf }) {
  return (
    <p className="cast-text" dir="auto" lang={cast.lang}>
      {withPieces(cast.text, [...mentionsIn(cast), ...linkPieces(cast.text)])}
    </p>
  )
}

/** A text with tags and addresses as links, such as a bio. */
export const LinkedText = ({ text }: { text: string }) => withPieces(text, linkPieces(text))

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

const linkPieces = (text: string): Piece[] =>
  linksIn(text).map(({ start, end, ...link }) => ({
    start,
    end,
    show:
      'to' in link
        ? linkTo(link.to)
        : () => <OutLink url={link.url}>{shownUrl(link.shown)}</OutLink>,
  }))

/** From left to right: in a path of Arabic letters the host would stand at the end. */
const shownUrl = (text: string) => <bdi dir="ltr">{text}</bdi>

/** A link that leaves this server. */
export const OutLink = ({ url, children }: { url: URL; children?: ReactNode }) => (
  <a href={url.href} target="_blank" rel="noopener noreferrer nofollow ugc">
    {children ?? shownUrl(urlText(url))}
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
