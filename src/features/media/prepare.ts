import { formatOf, isHeic, movingKind, notAPicture } from '../../kernel/base/pictures/formats.ts'
import type { Rendered } from '../../kernel/base/pictures/render.ts'
import type { Renderer } from '../../kernel/base/pictures/renderer.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../kernel/protocol/time.ts'
import { cleanFile } from './clean.ts'

// From the bytes that a user sends to those that are kept: pictures are decoded and encoded again in two sizes, moving ones
// are written again without what they do not need to be played.

/** Of a picture: photographs of 50 megapixels have up to 12 MB. */
export const MAX_PICTURE_BYTES = 12 * 1024 * 1024
/** No video of an upload is that long. What a file says beyond it is wrong, and may be no integer that a database can answer. */
const MAX_DURATION_MS = DAY_MS
/** The greatest widths of the two sizes; heights are at most twice that. */
const LARGE_WIDTH = 1_600
const SMALL_WIDTH = 480
/** As wide as the client shows videos. */
const POSTER_WIDTH = 640

/** The field that refusals name. */
const FIELD = 'body'

export type FileBytes = { readonly bytes: Uint8Array; readonly type: string }

export type Prepared = {
  readonly large: FileBytes
  /** A still picture of it, with a preview; videos have none. */
  readonly small: Rendered | undefined
  readonly width: number
  readonly height: number
  /** Of a video; 0 when it does not say it, and of pictures. */
  readonly durationMs: number
  /** Warnings for the person who uploads, one sentence each. */
  readonly warnings: readonly string[]
}

/** Of what is no video. */
const STILL = { durationMs: 0, warnings: [] }

type Terms = {
  readonly renderer: Renderer
  /** Bytes of the largest video. */
  readonly maxVideoBytes: number
  /** Charges the client for work, in bytes of an answer. */
  readonly consume: (bytes: number) => void
  /** Charges the client for looking at so many elements of a video. */
  readonly chargeElements: (elements: number) => void
  /** Whose pictures wait for each other. */
  readonly client: string
}

/** Throws a Rejection for what is neither a picture nor a video, or too large. */
export async function prepare(bytes: Uint8Array, terms: Terms): Promise<Prepared> {
  const format = formatOf(bytes)
  const container = format ? undefined : containerOf(bytes)
  if (container) return prepareVideo(bytes, container, terms)
  if (!format) throw refused(notAPicture(bytes, ', nor a video in MP4 or WebM'))
  checkSize(bytes, MAX_PICTURE_BYTES, 'picture')
  const kind = movingKind(bytes)
  const moving = kind && (await cleanFile({ kind, bytes }, refused))
  if (!moving || moving.frames === 1) return preparePicture(moving?.bytes ?? bytes, terms)
  const small = await renderIn(moving.bytes, SMALL_WIDTH, terms, true)
  const { width, height } = moving
  return { large: { bytes: moving.bytes, type: `image/${kind}` }, small, width, height, ...STILL }
}

async function preparePicture(bytes: Uint8Array, terms: Terms): Promise<Prepared> {
  const large = await renderIn(bytes, LARGE_WIDTH, terms)
  const small = await renderIn(large.bytes, SMALL_WIDTH, terms, true)
  return { large, small, width: large.width, height: large.height, ...STILL }
}

const renderIn = (
  bytes: Uint8Array,
  width: number,
  { renderer, consume, client }: Pick<Terms, 'renderer' | 'consume' | 'client'>,
  preview = false,
) => renderer.render({ bytes, width, preview, client, consume }, refused)

const VIDEO_TYPES = { mp4: 'video/mp4', webm: 'video/webm' } as const
type Container = 'mp4' | 'webm'

/** The kind of a video by its first bytes; HEIC pictures look like MP4 until their brand is read. */
function containerOf(bytes: Uint8Array): Container | undefined {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('latin1')
  if (head.slice(4) === 'ftyp' && !isHeic(bytes)) return 'mp4'
  return head.startsWith('\x1a\x45\xdf\xa3') ? 'webm' : undefined
}

async function prepareVideo(
  bytes: Uint8Array,
  kind: Container,
  { maxVideoBytes, chargeElements }: Terms,
): Promise<Prepared> {
  if (maxVideoBytes === 0) throw refused('is a video, and this server takes none')
  checkSize(bytes, maxVideoBytes, 'video')
  const cleaned = await cleanFile({ kind, bytes }, refused)
  const { width, height, durationMs = 0, elements = 0, coding } = cleaned
  chargeElements(elements)
  return {
    large: { bytes: cleaned.bytes, type: VIDEO_TYPES[kind] },
    small: undefined,
    width,
    height,
    durationMs: durationMs >= 0 && durationMs <= MAX_DURATION_MS ? durationMs : 0,
    warnings: coding === undefined || PLAYED_EVERYWHERE.test(coding) ? [] : [warningOf(coding)],
  }
}

/** H.264, AV1, VP8 and VP9. */
const PLAYED_EVERYWHERE = /^(?:avc[1-4]|av01|vp0[89])$/
/** H.265, also under the names of Dolby Vision. */
const HEVC = /^(?:hvc1|hev1|dvh1|dvhe)$/

const warningOf = (coding: string): string =>
  `The video may not play everywhere: it is coded as ${HEVC.test(coding) ? 'HEVC (H.265)' : coding}, which not every browser decodes. ` +
  'H.264 plays everywhere; iPhones record it with “Most Compatible”.'

/** A picture that stands for a video until it is played. */
export const preparePoster = (
  bytes: Uint8Array,
  terms: Pick<Terms, 'renderer' | 'consume' | 'client'>,
) => {
  checkSize(bytes, MAX_PICTURE_BYTES, 'picture')
  return renderIn(bytes, POSTER_WIDTH, terms, true)
}

function checkSize({ length }: Uint8Array, maxBytes: number, what: string): void {
  if (length <= maxBytes) return
  const text = `the file has ${length} bytes; a ${what} may have ${maxBytes}`
  throw new Rejection('bad_request.too_large', text, { field: FIELD })
}

const refused = (what: string): Rejection =>
  new Rejection('bad_request.validation_failure', `the file ${what}`, { field: FIELD })
