import type { EmbedUrl } from '../types.ts'

// Pictures and videos that were uploaded to this server: shown from its own address, in the size that is needed.

/** Pixels in width of the small size. */
const SMALL_WIDTH = 480
const FILE = /^\/media\/[0-9a-f]{64}\.(?:jpg|webp|gif|png|mp4|webm)$/

/** The path of a file of this server, of which the server says what it is. */
export function ownPath({ url, metadata }: EmbedUrl): string | undefined {
  const path = metadata && URL.canParse(url) ? new URL(url).pathname : ''
  return FILE.test(path) ? path : undefined
}

export function OwnMedia({ embed, path }: { embed: EmbedUrl; path: string }) {
  const { metadata, alt_text: alt = '' } = embed
  if (metadata?.content_type.startsWith('video/')) {
    return (
      <video
        className="embed-picture"
        src={path}
        controls
        muted
        playsInline
        preload="metadata"
        aria-label={alt || 'Video without a description'}
      />
    )
  }
  const { width_px: width = 0, height_px: height = 0 } = metadata?.image ?? {}
  // The small one of these stands still.
  const mayMove = !path.endsWith('.jpg')
  const small = path.replace('.', '-small.')
  return (
    <a href={path} target="_blank" rel="noopener">
      <img
        className="embed-picture"
        src={path}
        {...(!mayMove && {
          srcSet: `${small} ${Math.min(SMALL_WIDTH, width)}w, ${path} ${width}w`,
          sizes: '(max-width: 640px) 100vw, 600px',
        })}
        width={width}
        height={height}
        alt={alt || 'Picture without a description'}
        loading="lazy"
        decoding="async"
      />
    </a>
  )
}
