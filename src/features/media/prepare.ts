import { formatOf, isHeic, movingKind, notAPicture } from '../../kernel/base/pictures/formats.ts'
import type { Renderer } from '../../kernel/base/pictures/renderer.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { cleanFile } from './clean.ts'

// From the bytes that a user sends to those that are kept: pictures are decoded and encoded again in two sizes, moving ones
// are written again without what they do not need to be played.

/** Of a picture: photographs of 50 megapixels have up to 12 MB. */
export const MAX_PICTURE_BYTES = 12 * 1024 * 1024
/** The greatest widths of the two sizes; heights are at most twice that. */
const LARGE_WIDTH = 1_600
const SMALL_WIDTH = 480

/** The field that refusals name. */
const FIELD = 'body'

export type FileBytes = { readonly bytes: Uint8Array; readonly type: string }

export type Prepared = {
  readonly large: FileBytes
  /** A still picture of it; videos have none. */
  readonly small: FileBytes | undefined
  readonly width: number
  readonly height: number
}

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
  const small = await renderIn(moving.bytes, SMALL_WIDTH, terms)
  const { width, height } = moving
  return { large: { bytes: moving.bytes, type: `image/${kind}` }, small, width, height }
}

async function preparePicture(bytes: Uint8Array, terms: Terms): Promise<Prepared> {
  const large = await renderIn(bytes, LARGE_WIDTH, terms)
  const small = await renderIn(large.bytes, SMALL_WIDTH, terms)
  return { large, small, width: large.width, height: large.height }
}

const renderIn = (bytes: Uint8Array, width: number, { renderer, consume, client }: Terms) =>
  renderer.render({ bytes, width, client, consume }, refused)

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
  const { width, height, elements = 0, ...cleaned } = await cleanFile({ kind, bytes }, refused)
  chargeElements(elements)
  return {
    large: { bytes: cleaned.bytes, type: VIDEO_TYPES[kind] },
    small: undefined,
    width,
    height,
  }
}

function checkSize({ length }: Uint8Array, maxBytes: number, what: string): void {
  if (length <= maxBytes) return
  const text = `the file has ${length} bytes; a ${what} may have ${maxBytes}`
  throw new Rejection('bad_request.too_large', text, { field: FIELD })
}

const refused = (what: string): Rejection =>
  new Rejection('bad_request.validation_failure', `the file ${what}`, { field: FIELD })
