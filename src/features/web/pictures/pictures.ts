import { createHash } from 'node:crypto'
import type { Rendered } from '../../../kernel/base/pictures/render.ts'
import { NoRoomNow, type Renderer } from '../../../kernel/base/pictures/renderer.ts'
import type { OutgoingFile } from '../../../kernel/http/files/outgoing-file.ts'
import { networkOf } from '../../../kernel/limits/client.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { HOUR_MS } from '../../../kernel/protocol/time.ts'
import { createOutcomeCache } from '../remote/outcome-cache.ts'
import {
  browserRedirects,
  CHARGED_BYTES_OF_FETCH,
  type SiteFiles,
  URL_FIELD,
} from '../remote/site-files.ts'

// Pictures of other sites, resized and encoded again.

export const MAX_PICTURE_BYTES = 8 * 1024 * 1024
/** About 4,000 pictures of the sizes that pages show. */
const CACHE_BYTES = 64 * 1024 * 1024
const REFUSAL_TTL_MS = 60_000

export type Picture = Pick<Rendered, 'bytes' | 'type'> & { readonly etag: string }

export type PictureRequest = {
  readonly url: URL
  readonly width: number
  readonly ip: string
  /** Charges the client for work. */
  readonly consume: (bytes: number) => void
}

export type Pictures = { get(request: PictureRequest): Promise<Picture> }

export function createPictures(files: SiteFiles, renderer: Renderer): Pictures {
  const cache = createOutcomeCache<Picture>({
    maxBytes: CACHE_BYTES,
    bytesOf: ({ bytes }) => bytes.length,
    ttlMs: 24 * HOUR_MS,
    refusalTtlMs: REFUSAL_TTL_MS,
    isKeptBriefly: (error) => error instanceof NoRoomNow,
  })
  const make = async ({ url, width, ip, consume }: PictureRequest): Promise<Picture> => {
    consume(CHARGED_BYTES_OF_FETCH)
    const accept = 'image/avif,image/webp,image/png,image/jpeg,image/gif'
    const redirects = browserRedirects(consume)
    const render = (file: OutgoingFile) => {
      const request = { bytes: file.bytes, width, client: networkOf(ip), consume }
      return renderer.render(request, refusalOf(file.url))
    }
    const request = { accept, maxBytes: MAX_PICTURE_BYTES, redirects, ip }
    const { bytes, type } = await files.fetch(url, request, render)
    return { bytes, type, etag: etagOf(bytes) }
  }
  return {
    get: (request) =>
      cache.get(
        `${request.width} ${request.url.href}`,
        (work) => files.runLimited(request, work),
        () => make(request),
      ),
  }
}

const refusalOf = (url: URL) => (what: string) =>
  new Rejection('bad_request.validation_failure', `the file at ${url.host} ${what}`, {
    field: URL_FIELD,
  })

const etagOf = (bytes: Uint8Array) =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
