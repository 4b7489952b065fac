import { toBase64, toHex } from '../../protocol/codec/bytes.ts'
import { SECOND_MS } from '../../protocol/time.ts'
import type { AppContext } from '../context.ts'
import type { DescribedMedia } from '../ports.ts'
import type { EmbedUrl } from '../schemas.ts'

// What authors say about files that they have uploaded to this server and embed in casts.

export type MediaOfAuthors = {
  readonly of: ReadonlyMap<string, DescribedMedia>
  readonly hashAt: (url: string) => Uint8Array | undefined
}

const nameOf = (hash: Uint8Array, fid: number) => `${fid}/${toHex(hash)}`

/** One statement, when there is such a file at all. */
export async function readMedia(
  { storage, ports }: AppContext,
  casts: readonly { readonly fid: number; readonly urls: readonly string[] }[],
): Promise<MediaOfAuthors> {
  const { hashAt, describedOf } = ports.media
  const wanted = new Map(
    casts.flatMap(({ fid, urls }) =>
      urls.flatMap((url) => {
        const hash = hashAt(url)
        return hash ? [[nameOf(hash, fid), { hash, fid }] as const] : []
      }),
    ),
  )
  const found = wanted.size === 0 ? [] : await describedOf(storage, [...wanted.values()])
  return { hashAt, of: new Map(found.map((one) => [nameOf(one.hash, one.fid), one])) }
}

/** A url as an embed of an author's cast. */
export function describeUrl(url: string, fid: number, { of, hashAt }: MediaOfAuthors): EmbedUrl {
  const hash = of.size === 0 ? undefined : hashAt(url)
  const media = hash && of.get(nameOf(hash, fid))
  if (!media) return { url }
  const { type, width, height, large_bytes, alt, sensitive, thumbhash } = media
  const size = { width_px: width, height_px: height }
  return {
    url,
    metadata: {
      _status: 'RESOLVED',
      content_type: type,
      content_length: large_bytes,
      ...(type.startsWith('image/') ? { image: size } : { video: videoOf(url, media, size) }),
    },
    alt_text: alt,
    ...(thumbhash && { thumbhash: toBase64(thumbhash) }),
    ...(sensitive && { sensitive: true as const }),
  }
}

const videoOf = (
  url: string,
  { duration_ms, small_type }: DescribedMedia,
  size: { readonly width_px: number; readonly height_px: number },
) => ({
  ...(duration_ms > 0 && { duration_s: duration_ms / SECOND_MS }),
  stream: [size],
  ...(small_type !== null && { poster_url: posterUrl(url) }),
})

/** A file and its small picture have one name. What an author wrote behind it, such as `#t=5`, is about the video. */
function posterUrl(url: string): string {
  const { pathname } = new URL(url)
  return new URL(pathname.replace(/\.[a-z0-9]+$/, '-small.jpg'), url).href
}
