import { webUrl } from '../../shared/links.ts'
import type { EmbedUrl } from '../types.ts'

const FILE = /^\/media\/[0-9a-f]{64}\.(?:jpg|webp|gif|png|mp4|webm)$/

/** The path of a picture or video that was uploaded to this server, of which the server says what it is. */
export function ownPath({ url, metadata }: EmbedUrl): string | undefined {
  const path = metadata && URL.canParse(url) ? new URL(url).pathname : ''
  return FILE.test(path) ? path : undefined
}

const PICTURES = /\.(?:png|jpe?g|gif|webp|avif)$/i

/** Whether it is a picture or a video; of other sites, pictures by their names. */
export const isMedia = (embed: EmbedUrl): boolean =>
  ownPath(embed) !== undefined || PICTURES.test(webUrl(embed.url)?.pathname ?? '')
