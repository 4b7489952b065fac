import { useState } from 'react'
import type { EmbedUrl } from '../types.ts'
import { usePreview } from './previewed.tsx'
import { roomOf } from './room.ts'

/** A video, which loads nothing but its picture until it is played. Without one the browser shows the first of the film. */
export function Video({ embed, path }: { embed: EmbedUrl; path: string }) {
  const [hasPlayed, setPlayed] = useState(false)
  const { poster_url, duration_s, stream = [] } = embed.metadata?.video ?? {}
  const [size] = stream
  const style = { ...roomOf(size?.width_px, size?.height_px), ...usePreview(embed.thumbhash) }
  return (
    <div className="video">
      <video
        className="embed-picture"
        src={path}
        controls
        muted
        playsInline
        style={style}
        {...(poster_url && { poster: path.replace(/\.\w+$/, '-small.jpg') })}
        preload={poster_url ? 'none' : 'metadata'}
        onPlay={() => setPlayed(true)}
        aria-label={embed.alt_text || 'Video without a description'}
      />
      {poster_url && duration_s !== undefined && !hasPlayed && (
        <span className="video-length">
          <span className="unseen">Length </span>
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
