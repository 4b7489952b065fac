import { lazy, type MouseEvent, type ReactNode, Suspense, useContext, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { SurfaceContext } from '../parts/surface.ts'
import type { EmbedUrl } from '../types.ts'
import { LostFile } from './lost-file.tsx'
import { ownPath } from './own-path.ts'
import { isVideo, pictureOf, type Shown } from './picture-of.ts'
import { Previewed } from './previewed.tsx'
import { roomOf } from './room.ts'
import { Video } from './video.tsx'
import './gallery.css'

const Viewer = lazy(async () => ({ default: (await import('./viewer.tsx')).Viewer }))

type GalleryProps = { embeds: readonly EmbedUrl[]; card: Card }

/** The pictures and videos of a cast. */
export function Gallery({ embeds, card }: GalleryProps) {
  const [isShown, setShown] = useState(false)
  const gallery = <Files embeds={embeds} card={card} />
  if (isShown || !embeds.some(({ sensitive }) => sensitive)) return gallery
  return (
    <div className="veiled">
      <div className="veil" inert>
        {gallery}
      </div>
      <div className="veil-words">
        <p>{t('The author marked this as sensitive.')}</p>
        <button type="button" className="secondary" onClick={() => setShown(true)}>
          {t('Show')}
        </button>
      </div>
    </div>
  )
}

function Files({ embeds, card }: GalleryProps) {
  const pictures = embeds.filter((one) => !isVideo(one)).map(pictureOf)
  return (
    <>
      {pictures.length > 0 && <Pictures pictures={pictures} card={card} />}
      {embeds.filter(isVideo).map((embed, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same video may come twice, and never moves
        <Video key={i} embed={embed} path={ownPath(embed)!} />
      ))}
    </>
  )
}

/** What is shown in place of a picture that cannot be loaded. */
type Card = (url: URL) => ReactNode

/** One as it is, several as a grid that has its room before they are loaded. Pressed, they are seen large. */
function Pictures({ pictures, card }: { pictures: readonly Shown[]; card: Card }) {
  const { viewed, open, close } = useViewer()
  const tiles = pictures.map((picture, i) => {
    const link = { picture, card, isAlone: pictures.length === 1, open: () => open(i) }
    // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may come twice, and never moves
    return <li key={i}>{<Tile {...link} />}</li>
  })
  return (
    <>
      <ul className={`gallery gallery-${pictures.length}`}>{tiles}</ul>
      {viewed !== undefined && (
        <Suspense>
          <Viewer pictures={pictures} first={viewed} close={close} />
        </Suspense>
      )}
    </>
  )
}

/** The picture of this cast that is seen large. It is a step of the history: going back closes it. */
function useViewer() {
  const { hash } = useContext(SurfaceContext)!
  const place = useLocation()
  const navigate = useNavigate()
  const viewing: { hash: string; at: number } | undefined = place.state?.viewing
  return {
    viewed: viewing?.hash === hash ? viewing.at : undefined,
    open: (at: number) => {
      const state = { ...place.state, viewing: { hash, at } }
      navigate(place, { state, preventScrollReset: true })
    },
    close: () => navigate(-1),
  }
}

type TileProps = { picture: Shown; card: Card; isAlone: boolean; open: () => void }

function Tile({ picture, card, isAlone, open }: TileProps) {
  const { href, site, src, srcSet, width, height, thumbhash, alt, description } = picture
  const [isLost, setLost] = useState(false)
  const press = (event: MouseEvent) => {
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey
    if (isElsewhere || isLost) return
    event.preventDefault()
    open()
  }
  if (isLost && !site) {
    return <LostFile kind="picture" {...{ description, ...(isAlone && { width, height }) }} />
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc" onClick={press}>
      {isLost && site ? (
        <Lost isAlone={isAlone}>{card(site)}</Lost>
      ) : (
        <Previewed
          className={isAlone ? 'embed-picture' : 'gallery-picture'}
          alt={alt}
          {...{ src, srcSet, width, height, thumbhash }}
          {...(isAlone && { style: roomOf(width, height) })}
          sizes={isAlone ? '(max-width: 640px) 100vw, 600px' : '(max-width: 640px) 50vw, 300px'}
          loading="lazy"
          onError={() => setLost(true)}
        />
      )}
    </a>
  )
}

/** What is in place of a lost picture has its room, so that nothing moves. */
const Lost = ({ isAlone, children }: { isAlone: boolean; children: ReactNode }) =>
  isAlone ? (
    <span className="lost-picture" style={roomOf()}>
      {children}
    </span>
  ) : (
    children
  )
