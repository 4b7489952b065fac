import { useMemo } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { webUrl } from '../../shared/links.ts'
import { cleanText } from '../../shared/text.ts'
import type { Cast, CastEmbedded, EmbedUrl } from '../types.ts'
import { OutLink, urlText } from './cast-text.tsx'
import { LazyPreview } from './lazy-preview.tsx'
import { OwnMedia, ownPath } from './own-media.tsx'
import { handleOf, Name, Portrait } from './person.tsx'
import { Picture } from './picture.tsx'
import { SurfaceContext } from './surface.ts'
import { Time } from './time.tsx'

const PICTURES = /\.(?:png|jpe?g|gif|webp|avif)$/i

/** What a cast carries: pictures, quoted casts and links. */
export function Embeds({ cast: { embeds, hash, author } }: { cast: Cast }) {
  const surface = useMemo(() => ({ hash, fid: author.fid }), [hash, author.fid])
  if (embeds.length === 0) return null
  return (
    <div className="embeds">
      <SurfaceContext value={surface}>
        {embeds.map((embed, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same embed may come twice, and never moves
          <div key={i} className="embed">
            {'url' in embed ? <UrlEmbed embed={embed} /> : <Quote cast={embed.cast} />}
          </div>
        ))}
      </SurfaceContext>
    </div>
  )
}

function UrlEmbed({ embed }: { embed: EmbedUrl }) {
  const { url: text } = embed
  const path = ownPath(embed)
  if (path) return <OwnMedia embed={embed} path={path} />
  const url = webUrl(text)
  if (!url) return <p className="link-card inert">{cleanText(text)}</p>
  const card = <LinkCard url={url} />
  if (!PICTURES.test(url.pathname)) {
    return <LazyPreview url={url} plain={<OutLink url={url}>{card}</OutLink>} />
  }
  const alt = `Picture from ${url.host}`
  return (
    <OutLink url={url}>
      <Picture url={text} width={640} alt={alt} className="embed-picture" fallback={card} />
    </OutLink>
  )
}

const LinkCard = ({ url }: { url: URL }) => (
  <span className="link-card">
    <Icon name="link" />
    <bdi>{urlText(url)}</bdi>
  </span>
)

function Quote({ cast }: { cast: CastEmbedded }) {
  return (
    <Link to={`/cast/${cast.hash}`} className="quote">
      <span className="quote-head">
        <Portrait user={cast.author} size="s" />
        <Name user={cast.author} />
        <bdi className="handle">{handleOf(cast.author)}</bdi>
        <Time at={cast.timestamp} />
      </span>
      <span className="cast-text clamp" dir="auto">
        {cleanText(cast.text)}
      </span>
    </Link>
  )
}
