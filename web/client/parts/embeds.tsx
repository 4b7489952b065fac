import { lazy, Suspense, useMemo } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { webUrl } from '../../shared/links.ts'
import { cleanText } from '../../shared/text.ts'
import { isMedia } from '../media/own-path.ts'
import { roomOf } from '../media/room.ts'
import type { Cast, CastEmbedded, EmbedUrl } from '../types.ts'
import { OutLink } from './cast-text.tsx'
import { LazyPreview } from './lazy-preview.tsx'
import { handleOf, Name, Portrait } from './person.tsx'
import { SurfaceContext } from './surface.ts'
import { urlText } from './text-links.ts'
import { Time } from './time.tsx'

const Gallery = lazy(async () => ({ default: (await import('../media/gallery.tsx')).Gallery }))

/** What a cast carries: pictures and videos, then quoted casts and links. */
export function Embeds({ cast: { embeds, hash, author } }: { cast: Cast }) {
  const surface = useMemo(() => ({ hash, fid: author.fid }), [hash, author.fid])
  if (embeds.length === 0) return null
  const media = embeds.flatMap((embed) => ('url' in embed && isMedia(embed) ? embed : []))
  return (
    <div className="embeds">
      <SurfaceContext value={surface}>
        {media.length > 0 && (
          <Suspense fallback={<Room media={media} />}>
            <Gallery embeds={media} card={cardOf} />
          </Suspense>
        )}
        {embeds.map((embed, i) => {
          if ('url' in embed && isMedia(embed)) return null
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same embed may come twice, and never moves
            <div key={i} className="embed">
              {'url' in embed ? <UrlEmbed url={embed.url} /> : <Quote cast={embed.cast} />}
            </div>
          )
        })}
      </SurfaceContext>
    </div>
  )
}

/** What pictures will take, so that nothing moves when they come. */
function Room({ media: [one, second] }: { media: readonly EmbedUrl[] }) {
  const { image, video } = one?.metadata ?? {}
  const size = image ?? video?.stream[0]
  return <div style={second ? { aspectRatio: 3 / 2 } : roomOf(size?.width_px, size?.height_px)} />
}

function UrlEmbed({ url: text }: { url: string }) {
  const url = webUrl(text)
  if (!url) return <p className="link-card inert">{cleanText(text)}</p>
  return <LazyPreview url={url} plain={<OutLink url={url}>{cardOf(url)}</OutLink>} />
}

const cardOf = (url: URL) => <LinkCard url={url} />

const LinkCard = ({ url }: { url: URL }) => (
  <span className="link-card">
    <Icon name="link" />
    <bdi dir="ltr">{urlText(url)}</bdi>
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
      <span className="cast-text clamp" dir="auto" lang={cast.lang}>
        {cleanText(cast.text)}
      </span>
    </Link>
  )
}
