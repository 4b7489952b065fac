import { isBytes, must } from './checks.ts'
import type { AppOperations } from './generated/app.ts'
import type { Network } from './network.ts'

/** Who uploads. */
export type Uploader = {
  /** Of a signer that approved the app, whose key the network was given. Without it the token of a user uploads. */
  readonly signerUuid?: string
}

export type Upload = Uploader & {
  /** What is to be seen, for those who cannot see it. */
  readonly altText?: string
}

export type Picture = {
  /** For an embed, a profile or a channel. */
  readonly url: string
  /** A small picture; of a video the one that stands for it, if it has one. */
  readonly smallUrl?: string
  readonly contentType: string
  /** That count against the room of the account. */
  readonly bytes: number
  readonly width: number
  readonly height: number
  /** Of a video that says it. */
  readonly durationSeconds?: number
  readonly altText: string
  /** Whether clients show it only to those who ask for it. */
  readonly sensitive: boolean
  /** Warnings for the person who uploads, one sentence each. */
  readonly warnings: readonly string[]
}

/** Uploads a picture or a video: `castAdd({ embeds: [{ url }] })` shows it. */
export async function uploadPicture(
  { app, platform }: Network,
  file: Uint8Array | Blob,
  { altText = '', signerUuid }: Upload = {},
): Promise<Picture> {
  const body = await bytesOf(file)
  if (signerUuid === undefined) return (await platform.post('/v1/media', { altText, body })).result
  const input = { signer_uuid: signerUuid, alt_text: altText, body }
  return pictureOf(await app.post('/v2/farcaster/media', input))
}

/**
 * Sets the picture that stands for an uploaded video until it is played. The server decodes no videos: a browser draws it, or
 * a program such as ffmpeg. A video keeps the first one.
 */
export async function uploadPoster(
  { app, platform }: Network,
  url: string,
  file: Uint8Array | Blob,
  { signerUuid }: Uploader = {},
): Promise<Picture> {
  const body = await bytesOf(file)
  if (signerUuid === undefined)
    return (await platform.put('/v1/media/poster', { url, body })).result
  const input = { signer_uuid: signerUuid, url, body }
  return pictureOf(await app.put('/v2/farcaster/media/poster', input))
}

async function bytesOf(file: Uint8Array | Blob): Promise<Uint8Array> {
  const isFile = isBytes(file) || file instanceof Blob
  must(isFile, 'the picture', 'bytes, or a File of the browser', file)
  return isBytes(file) ? file : new Uint8Array(await file.arrayBuffer())
}

type Stored = AppOperations['post']['/v2/farcaster/media']['output']

const pictureOf = ({
  small_url: smallUrl,
  content_type: contentType,
  duration_s: durationSeconds,
  ...stored
}: Stored): Picture => ({
  url: stored.url,
  ...(smallUrl !== undefined && { smallUrl }),
  contentType,
  bytes: stored.bytes,
  width: stored.width_px,
  height: stored.height_px,
  ...(durationSeconds !== undefined && { durationSeconds }),
  altText: stored.alt_text,
  sensitive: stored.sensitive,
  warnings: stored.warnings,
})
