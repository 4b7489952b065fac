import { isBytes, must } from './checks.ts'
import type { Network } from './network.ts'

export type Upload = {
  /** What is to be seen, for those who cannot see it. */
  readonly altText?: string
  /** Of a signer that approved the app, whose key the network was given. Without it the token of a user uploads. */
  readonly signerUuid?: string
}

export type Picture = {
  /** For an embed, a profile or a channel. */
  readonly url: string
  readonly contentType: string
  readonly width: number
  readonly height: number
  readonly altText: string
}

/** Uploads a picture or a video: `castAdd({ embeds: [{ url }] })` shows it. */
export async function uploadPicture(
  { app, platform }: Network,
  file: Uint8Array | Blob,
  { altText = '', signerUuid }: Upload = {},
): Promise<Picture> {
  const isFile = isBytes(file) || file instanceof Blob
  must(isFile, 'the picture', 'bytes, or a File of the browser', file)
  const body = isBytes(file) ? file : new Uint8Array(await file.arrayBuffer())
  if (signerUuid === undefined) {
    const { result } = await platform.post('/v1/media', { altText, body })
    const { url, contentType, width, height } = result
    return { url, contentType, width, height, altText: result.altText }
  }
  const input = { signer_uuid: signerUuid, alt_text: altText, body }
  const stored = await app.post('/v2/farcaster/media', input)
  return {
    url: stored.url,
    contentType: stored.content_type,
    width: stored.width_px,
    height: stored.height_px,
    altText: stored.alt_text,
  }
}
