import { t } from '../../shared/messages.ts'
import { inLanguage, refusalOf } from '../../shared/request.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { callPlatform, tokenOf } from '../act/platform.ts'
import { shrunk } from './shrink.ts'

// Pictures and videos, on their way to the server.

/** What the server takes; a phone then offers its pictures and its camera. */
export const TAKEN = 'image/jpeg,image/png,image/webp,image/avif,image/gif,video/mp4,video/webm'

/** A video on a slow line takes minutes. */
const TIMEOUT_MS = 10 * 60_000

export type Uploaded = {
  readonly url: string
  readonly smallUrl?: string
  readonly contentType: string
  /** What was said about the file before; may be empty. */
  readonly altText: string
  /** Said of the file before: uploading it again keeps that. */
  readonly sensitive: boolean
  /** What its uploader should know, a sentence each. */
  readonly warnings: readonly string[]
}

/** `progress` gets the part that was sent, 0 to 1. */
type Watched = { progress?: (part: number) => void; signal?: AbortSignal }

/** Sends a file: pictures made smaller, videos with a picture that stands for them. */
export async function upload(
  key: BrowserKey,
  file: Blob,
  watched: Watched = {},
): Promise<Uploaded> {
  const uploaded = await send(await tokenOf(key), await shrunk(file), watched)
  if (!uploaded.contentType.startsWith('video/') || uploaded.smallUrl) return uploaded
  // The video is kept also when this browser cannot show it, or the server takes no picture for it.
  return withPoster(key, file, uploaded).catch(() => uploaded)
}

async function withPoster(key: BrowserKey, video: Blob, uploaded: Uploaded): Promise<Uploaded> {
  const { pictureOf } = await import('./poster.ts')
  const body = await pictureOf(video)
  const query = new URLSearchParams({ url: uploaded.url })
  const response = await fetch(`/platform/v1/media/poster?${query}`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      authorization: `Bearer ${await tokenOf(key)}`,
    },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) return uploaded
  return { ...(await response.json()).result, warnings: uploaded.warnings }
}

/** fetch cannot tell how much was sent. */
function send(token: string, sent: Blob, { progress, signal }: Watched): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/platform/v1/media')
    request.timeout = TIMEOUT_MS
    request.responseType = 'json'
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.onprogress = ({ loaded, total }) => progress?.(loaded / total)
    request.onload = () => {
      const { status, response } = request
      if (status === 200) return resolve(response.result)
      const requestId = request.getResponseHeader('x-request-id')
      inLanguage(refusalOf({ status, requestId }, response)).then(reject)
    }
    const failed = () => reject(new Error(t('The file could not be sent. Check your connection.')))
    request.onerror = failed
    request.ontimeout = failed
    request.onabort = failed
    signal?.addEventListener('abort', () => request.abort())
    request.send(sent)
  })
}

/** Says what is to be seen, for those who cannot see it, and whether it is shown only to those who ask for it. */
export const describe = (
  key: BrowserKey,
  file: {
    readonly url: string
    /** Undefined: it stays as it is. */
    readonly altText?: string | undefined
    readonly sensitive: boolean
  },
): Promise<unknown> => callPlatform(key, '/v1/media', 'PATCH', file)

/** Whether there is a picture at an address: the server fetches it, as it will for everybody. */
export async function isPicture(url: string): Promise<boolean> {
  const query = new URLSearchParams({ url, width: '96' })
  return (await fetch(`/picture?${query}`)).ok
}
