import type { EmbedUrl } from '../types.ts'

const FILE = /^\/media\/[0-9a-f]{64}\.(?:jpg|webp|gif|png|mp4|webm)$/

/** The path of a picture or video that was uploaded to this server, of which the server says what it is. */
export function ownPath({ url, metadata }: EmbedUrl): string | undefined {
  const path = metadata && URL.canParse(url) ? new URL(url).pathname : ''
  return FILE.test(path) ? path : undefined
}
