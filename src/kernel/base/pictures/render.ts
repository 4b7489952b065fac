import v8 from 'node:v8'
import { workerData } from 'node:worker_threads'
import { rgbaToThumbHash } from 'thumbhash'
import type Vips from 'wasm-vips'
import { GIB, MIB } from '../../protocol/sizes.ts'
import { curveOf, isDisplayP3 } from './colours.ts'
import { formatOf, notAPicture, type PictureFormat } from './formats.ts'

// Decodes an untrusted picture, makes it smaller and encodes it again, so that nothing of the original file but what it looks
// like reaches a browser. Runs in a thread, inside WebAssembly (decision 0390).

/** Address space of the decoder, most of which is never touched. */
const MAX_WASM_BYTES = GIB
const WASM_PAGE_BYTES = 65_536
v8.setFlagsFromString(`--wasm-max-mem-pages=${MAX_WASM_BYTES / WASM_PAGE_BYTES}`)
const { default: load } = await import('wasm-vips')
const vips: typeof Vips = await load({
  // For AVIF. The others read formats that are not taken.
  dynamicLibraries: ['vips-heif.wasm'],
  printErr: () => {},
  preRun: (module) => {
    // One core: others wait for the rest of the machine.
    module.ENV.VIPS_CONCURRENCY = '1'
    // Otherwise each fault of a file is a line in the log.
    module.ENV.VIPS_WARNING = '0'
  },
})
vips.Cache.max(0)

/** The largest photographs of phones have 200 million pixels. Other formats take five seconds for a quarter of that. */
const MAX_JPEG_PIXELS = 2 ** 28
const MAX_OTHER_PIXELS = 2 ** 26
const MAX_SIDE_PIXELS = 65_535
/** What a decoder may hold at once: a part of the machine's memory, because the rest of the program needs some, too. */
const MAX_HELD_BYTES = Math.min(384 * MIB, workerData.memoryBytes / 5)
const JPEG_QUALITY = 82
const WEBP_QUALITY = 80
const OPAQUE = 255
/** The longest side of what a preview is made of; it shows at most seven waves of light a side. */
const PREVIEW_SIDE = 32
/** Otherwise what is missing is grey. */
const FAILING = '[fail_on=truncated]'

export type RenderRequest = {
  readonly bytes: Uint8Array
  /** The greatest width; the height is at most twice that. */
  readonly width: number
  /** Whether a preview is made, too. */
  readonly preview?: boolean
  /** What the picture may take. */
  readonly roomBytes: number
}

type Original = Pick<RenderRequest, 'bytes' | 'width'>

export type Rendered = {
  readonly bytes: Uint8Array
  readonly type: 'image/jpeg' | 'image/webp'
  /** As it is shown. */
  readonly width: number
  readonly height: number
  /** About 25 bytes from which clients draw a blurred preview (ThumbHash). */
  readonly thumbhash?: Uint8Array
}

/** Why a file is not rendered, in words that follow its URL. */
export class NotAPicture extends Error {}

/** The process has too little memory left for this picture. */
export class OutOfRoom extends Error {
  readonly neededBytes: number

  constructor(neededBytes: number) {
    super()
    this.neededBytes = neededBytes
  }
}

/** Microseconds of an idle core for a pixel: of an original, where a JPEG is made smaller while it is decoded, and of what is shown. */
const DECODING_US = { jpeg: 0.01, png: 0.065, gif: 0.06, webp: 0.045, avif: 0.15 } as const
const ENCODING_US = 0.06
/** Sending so many bytes takes as long. */
const BYTES_PER_US = 40

/** `charge` gets what the work costs, in bytes of an answer, before it is begun. Throws OutOfRoom or NotAPicture. */
export function render(
  { bytes, width, preview = false, roomBytes }: RenderRequest,
  charge: (costBytes: number) => void,
): { readonly rendered: Rendered; readonly tookBytes: number } {
  const format = formatOf(bytes)
  if (!format) throw new NotAPicture(notAPicture(bytes))
  const head = headOf(bytes, format)
  const shownPixels = head.pixels * Math.min(1, width / head.width, (2 * width) / head.height) ** 2
  let tookBytes = 0
  const take = (moreBytes: number) => {
    tookBytes += moreBytes
    if (tookBytes > roomBytes) throw new OutOfRoom(tookBytes)
  }
  take(head.heldBytes + Math.min(MAX_WORK_BYTES, WORK_BYTES * shownPixels))
  charge(BYTES_PER_US * (DECODING_US[format] * head.pixels + ENCODING_US * shownPixels))
  try {
    using shrunk = shrink({ bytes, width }, head)
    const takeAlpha = () => take(Math.min(MAX_ALPHA_BYTES, ALPHA_BYTES * shownPixels))
    return { rendered: encoded(shrunk, preview, takeAlpha), tookBytes }
  } catch (error) {
    if (isFaultOfFile(error)) throw new NotAPicture('cannot be decoded')
    throw error
  }
}

/** Makes a picture smaller while it is decoded, and gives it the colours of sRGB. */
function shrink({ bytes, width }: Original, head: Head): Vips.Image {
  const { format, isColoured, isOfUnknownInks } = head
  const isWide = format === 'avif' && isDisplayP3(bytes)
  const options = {
    height: 2 * width,
    size: 'down',
    // As browsers do: the orientation of a WebP is not looked at.
    no_rotate: format === 'webp',
    // Two thirds of the time, also where it changes nothing.
    ...(!head.isSrgb || isWide ? { output_profile: 'srgb' } : {}),
  } as const
  if (isOfUnknownInks) {
    using colours = fromInks({ bytes, width }, head)
    return colours.thumbnailImage(width, options)
  }
  const shrunk = vips.Image.thumbnailBuffer(readable(bytes), width, {
    ...options,
    // Of a picture without one.
    ...(isWide ? { input_profile: 'p3' } : {}),
    // The option of this name is not passed on to the decoder.
    option_string: FAILING,
  })
  const curve = format === 'png' && isColoured ? curveOf(bytes) : undefined
  if (!curve) return shrunk
  using before = shrunk
  return bent(before, curve)
}

/** Moving AVIF: the decoder reads its first picture, and does not know the name of its kind. */
function readable(bytes: Uint8Array): Uint8Array {
  if (Buffer.from(bytes.subarray(4, 12)).toString('latin1') !== 'ftypavis') return bytes
  const renamed = Buffer.from(bytes)
  renamed.write('avif', 8, 'latin1')
  return renamed
}

/** A JPEG in inks of no known printer, as browsers show it: each ink takes away its light, and black takes it from all. */
function fromInks({ bytes, width }: Original, head: Head): Vips.Image {
  const longestSide = Math.max(head.width, head.height)
  const shrink = [8, 4, 2].find((n) => longestSide / n >= 2 * width) ?? 1
  using inks = vips.Image.jpegloadBuffer(bytes, {
    shrink,
    access: 'sequential',
    fail_on: 'truncated',
  })
  using light = inks.linear(-1, 255)
  using colours = light.extractBand(0, { n: 3 })
  using black = light.extractBand(3)
  using lit = colours.multiply(black)
  using whole = lit.linear(1 / 255, 0, { uchar: true })
  return whole.copy({ interpretation: 'srgb' })
}

/** A picture whose colours are those that a curve has for its numbers; browsers leave grey ones as they are. */
function bent(image: Vips.Image, curve: Uint8Array): Vips.Image {
  using bytes = image.colourspace('srgb')
  using table = vips.Image.newFromMemory(curve, curve.length, 1, 1, vips.BandFormat.uchar)
  if (!bytes.hasAlpha()) return bytes.maplut(table)
  using colours = bytes.extractBand(0, { n: bytes.bands - 1 })
  using alpha = bytes.extractBand(bytes.bands - 1)
  using changed = colours.maplut(table)
  return changed.bandjoin(alpha)
}

/** Errors of the library leave it as it was. Without memory it is not asked again. */
function isFaultOfFile(error: unknown): boolean {
  const { message } = error as { readonly message?: unknown }
  const [kind, text] = Array.isArray(message) ? message : []
  return kind === 'vips::Error' && !/out of memory/.test(text)
}

function encoded(image: Vips.Image, preview: boolean, takeAlpha: () => void): Rendered {
  // Once, for the look at its alpha and for the encoder.
  using decoded = image.copyMemory()
  const { width, height } = decoded
  const shown = { width, height, ...(preview && { thumbhash: thumbhashOf(decoded) }) }
  const keep = 'none'
  if (decoded.hasAlpha() && !isOpaque(decoded)) {
    takeAlpha()
    const bytes = decoded.webpsaveBuffer({ Q: WEBP_QUALITY, keep })
    return { bytes, type: 'image/webp', ...shown }
  }
  using flat = decoded.hasAlpha() ? decoded.flatten() : decoded.copy()
  return { bytes: flat.jpegsaveBuffer({ Q: JPEG_QUALITY, keep }), type: 'image/jpeg', ...shown }
}

function thumbhashOf(image: Vips.Image): Uint8Array {
  using tiny = image.thumbnailImage(PREVIEW_SIDE, { height: PREVIEW_SIDE })
  using coloured = tiny.colourspace('srgb')
  using whole = coloured.hasAlpha() ? coloured.copy() : coloured.bandjoin(OPAQUE)
  return rgbaToThumbHash(whole.width, whole.height, whole.writeToMemory())
}

function isOpaque(image: Vips.Image): boolean {
  using alpha = image.extractBand(image.bands - 1)
  return alpha.min() === OPAQUE
}

// Each a quarter more than was measured.
/** What a picture takes beside what its decoder holds, by pixel that is shown and at most: copies and the encoder. */
const WORK_BYTES = 20
const MAX_WORK_BYTES = 64 * MIB
/** What one that shines through takes besides: the encoder of WebP. Known only when it is decoded. */
const ALPHA_BYTES = 80
const MAX_ALPHA_BYTES = 120 * MIB

type Head = {
  readonly format: PictureFormat
  readonly width: number
  readonly height: number
  readonly pixels: number
  /** Of its decoder. */
  readonly heldBytes: number
  readonly isColoured: boolean
  /** Of eight bits, without a profile. */
  readonly isSrgb: boolean
  /** In inks without a profile. */
  readonly isOfUnknownInks: boolean
}

/** What a file says about itself, before anything is decoded. Throws NotAPicture for one that is too large. */
function headOf(bytes: Uint8Array, format: PictureFormat): Head {
  using header = headerOf(bytes)
  const { width, height } = header
  const hasProfile = header.getTypeof('icc-profile-data') !== 0
  return {
    format,
    width,
    height,
    ...checkSize(header, format),
    isColoured: header.bands > 2,
    isSrgb: header.format === 'uchar' && !hasProfile,
    isOfUnknownInks: header.interpretation === 'cmyk' && !hasProfile,
  }
}

function headerOf(bytes: Uint8Array): Vips.Image {
  try {
    return vips.Image.newFromBuffer(readable(bytes))
  } catch {
    throw new NotAPicture('has no dimensions')
  }
}

/** Throws NotAPicture for a picture that is too large on this machine. */
function checkSize(header: Vips.Image, format: PictureFormat): Pick<Head, 'pixels' | 'heldBytes'> {
  const { width, height } = header
  const pixels = width * height
  const heldBytes = pixels * heldBytesOf(header, format)
  const maxPixels = format === 'jpeg' ? MAX_JPEG_PIXELS : MAX_OTHER_PIXELS
  const isTooLarge = pixels > maxPixels || heldBytes > MAX_HELD_BYTES
  if (!isTooLarge && Math.max(width, height) <= MAX_SIDE_PIXELS) return { pixels, heldBytes }
  const most = Math.floor(
    Math.sqrt(pixels * Math.min(1, maxPixels / pixels, MAX_HELD_BYTES / heldBytes)),
  )
  throw new NotAPicture(
    `has too many pixels: ${width} × ${height}; make it smaller, such as ${most} × ${most}`,
  )
}

/**
 * Bytes of a pixel that a decoder holds, as measured, in formats and forms that are decoded as a whole. Others are decoded by
 * rows, and made smaller at once.
 */
function heldBytesOf(header: Vips.Image, format: PictureFormat): number {
  const isDeep = header.format === 'ushort'
  const isInterlaced = header.getTypeof('interlaced') !== 0
  switch (format) {
    case 'jpeg':
      return isInterlaced ? COEFFICIENT_BYTES * coefficientsOf(header) : 0
    case 'png':
      return isInterlaced ? header.bands * (isDeep ? 2 : 1) : 0
    case 'gif':
      return 8
    case 'webp':
      return header.hasAlpha() ? 16 : 8
    case 'avif':
      return isDeep ? 30 : 20
  }
}

const COEFFICIENT_BYTES = 2

/** Of a pixel of a JPEG, whose colours may be kept for every fourth pixel only. */
function coefficientsOf(header: Vips.Image): number {
  const name = 'jpeg-chroma-subsample'
  const isSparse = header.getTypeof(name) !== 0 && header.getString(name) === '4:2:0'
  return isSparse ? 1.5 : header.bands
}
