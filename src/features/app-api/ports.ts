import type { KnownSnap } from '../../kernel/app-api/ports.ts'
import type { SignedMessage } from '../../kernel/protocol/message.ts'
import type { Rejection } from '../../kernel/protocol/rejection.ts'
import type { actingOn } from './acting.ts'

// What the app API needs from other services.

/** Stores messages. Resolves to the id of the event of each, or to why it was refused, in order. */
export type SubmitAll = (messages: readonly SignedMessage[]) => Promise<(number | Rejection)[]>

/** What a page of another site says about itself. */
export type PreviewsPort = {
  get(request: { url: URL; ip: string; consume(bytes: number): void }): Promise<{
    readonly kind: 'page' | 'picture'
    readonly url: string
    readonly contentType: string
    readonly title?: string
    readonly description?: string
    readonly picture?: string
    readonly site: string
    readonly snap?: KnownSnap
  }>
}

/** A picture or video as its uploader gets it told. */
export type UploadedMedia = {
  readonly url: string
  readonly smallUrl: string | undefined
  readonly type: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  readonly durationMs: number
  readonly alt: string
  readonly warnings: readonly string[]
  readonly sensitive: boolean
}

/** Pictures and videos that this server keeps. */
export type MediaPort = {
  /** Bytes of the largest upload, and of the largest picture. */
  readonly maxBytes: number
  readonly maxPictureBytes: number
  upload(upload: {
    readonly fid: number
    readonly bytes: Uint8Array
    readonly alt: string
    consume(bytes: number): void
  }): Promise<UploadedMedia>
  /** Keeps a picture that stands for a video until it is played. */
  uploadPoster(upload: {
    readonly fid: number
    readonly url: string
    readonly bytes: Uint8Array
    consume(bytes: number): void
  }): Promise<UploadedMedia>
  /** Changes what a user says about a file. */
  describe(
    fid: number,
    url: string,
    words: { readonly alt?: string | undefined; readonly sensitive?: boolean | undefined },
  ): Promise<UploadedMedia>
  /** The hash of the file at an address. */
  hashAt(url: string): Uint8Array | undefined
}

/** What users do on the client platform, by the fid that acts. */
export type PlatformPort = ReturnType<typeof actingOn>
