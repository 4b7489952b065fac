import { useEffect, useRef, useState } from 'react'
import { t } from '../../shared/messages.ts'
import type { EmbedUrl } from '../types.ts'
import { LostFile } from './lost-file.tsx'
import { smallOf } from './picture-of.ts'
import { usePreview } from './previewed.tsx'
import { roomOf } from './room.ts'

/** A video, which loads nothing but its picture until it is played. Without one the browser shows the first of the film. */
export function Video({ embed, path }: { embed: EmbedUrl; path: string }) {
  const [hasPlayed, setPlayed] = useState(false)
  const { poster_url, duration_s, stream = [] } = embed.metadata?.video ?? {}
  const [size] = stream
  const poster = poster_url && smallOf(path)
  const [isSeen, setSeen] = useState(false)
  const [isLost, setLost] = useState(false)
  const preview = usePreview(embed.thumbhash)
  // A video does not tell when its picture has come, which may be transparent.
  useEffect(() => {
    if (!poster) return
    const picture = new Image()
    picture.onload = () => setSeen(true)
    picture.src = poster
  }, [poster])
  const film = useRef<HTMLVideoElement>(null)
  // React drops events of an element that is not in the page yet, and its film loads from the moment when it is made.
  useEffect(() => {
    if (film.current?.error) setLost(true)
    else if (film.current && film.current.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA)
      setSeen(true)
  }, [])
  if (isLost) {
    return (
      <LostFile
        kind="video"
        description={embed.alt_text}
        width={size?.width_px}
        height={size?.height_px}
        path={path}
      />
    )
  }
  return (
    <div className="video">
      <video
        ref={film}
        className="embed-picture"
        src={path}
        controls
        muted
        playsInline
        style={{
          ...roomOf(size?.width_px, size?.height_px),
          objectFit: 'contain',
          ...(!isSeen && preview),
        }}
        {...(poster && { poster })}
        preload={poster ? 'none' : 'metadata'}
        onLoadedData={() => setSeen(true)}
        onPlay={() => setPlayed(true)}
        onError={() => setLost(true)}
        aria-label={embed.alt_text || t('Video without a description')}
      />
      {poster && duration_s !== undefined && !hasPlayed && (
        <span className="video-length">
          <span className="unseen">{t('Length')} </span>
          {lengthText(duration_s)}
        </span>
      )}
    </div>
  )
}

/** Minutes and seconds, as players write them. */
function lengthText(length: number): string {
  const seconds = Math.max(1, Math.round(length))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
