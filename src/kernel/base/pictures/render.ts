import v8 from 'node:v8'
import { workerData } from 'node:worker_threads'
import { imageSize } from 'image-size'
import { GIB, MIB } from '../../protocol/sizes.ts'
import { bytesPerPixel, formatOf, type PictureFormat, RGBA_BYTES } from './formats.ts'

// Decodes an untrusted picture, resizes it and encodes it again, so that nothing of the original file
// but its pixels reaches a browser. Runs in a thread, inside WebAssembly (decision 0088).

/** What a machine has from which on photos of phones are decoded, which have up to 12.53 million pixels. */
const FULL_MEMORY_BYTES = GIB
/** On smaller ones a large picture would take the memory that the rest of the program needs. */
const memoryShare = Math.min(1, workerData.memoryBytes / FULL_MEMORY_BYTES)
/** Pages of 64 KiB: 288 MiB. A progressive JPEG of MAX_DECODED_BYTES takes most, 280 MiB; 8 MiB are for the code itself. */
const MAX_WASM_PAGES = Math.ceil((280 * memoryShare + 8) * (MIB / 65_536))
v8.setFlagsFromString(`--wasm-max-mem-pages=${MAX_WASM_PAGES}`)
const { default: photon } = await import('@silvia-odwyer/photon-node')

/** Width × height × bytes of a pixel: 48 MiB are 12.58 million pixels of 8 bits a channel. */
const MAX_DECODED_BYTES = Math.floor(48 * memoryShare) * MIB
const MAX_SIDE_PIXELS = 12_000
const JPEG_QUALITY = 82
const OPAQUE = 255

export type RenderRequest = {
  readonly bytes: Uint8Array
  /** The greatest width; the height is at most twice that. */
  readonly width: number
}

export type Rendered = {
  readonly bytes: Uint8Array
  readonly type: 'image/jpeg' | 'image/webp'
  readonly width: number
  readonly height: number
  /** Of the original. */
  readonly pixels: number
}

type Raster = { pixels: Uint8Array; width: number; height: number }

/** Why a file is not rendered, in words that follow its URL. */
export class NotAPicture extends Error {}

export function render({ bytes, width }: RenderRequest): Rendered {
  const format = formatOf(bytes)
  if (!format) throw new NotAPicture('is not a picture in JPEG, PNG, GIF or WebP')
  const size = sizeOf(bytes, format)
  const raster = turned(shrunk(bytes, size, width), size.orientation)
  const pixels = size.width * size.height
  const shown = { width: raster.width, height: raster.height, pixels }
  const image = new photon.PhotonImage(raster.pixels, raster.width, raster.height)
  try {
    return isOpaque(raster.pixels)
      ? { bytes: image.get_bytes_jpeg(JPEG_QUALITY), type: 'image/jpeg', ...shown }
      : { bytes: image.get_bytes_webp(), type: 'image/webp', ...shown }
  } finally {
    image.free()
  }
}

/** Read from the header, before anything is decoded. */
function sizeOf(
  bytes: Uint8Array,
  format: PictureFormat,
): { width: number; height: number; orientation: number } {
  const { width, height, orientation = 1 } = readSize(bytes)
  if (!(width > 0 && height > 0)) throw new NotAPicture('has no dimensions')
  const pixelBytes = bytesPerPixel(format, bytes)
  const isTooLarge = width * height * pixelBytes > MAX_DECODED_BYTES
  if (isTooLarge || width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS) {
    const most = Math.floor(Math.sqrt(MAX_DECODED_BYTES / pixelBytes))
    throw new NotAPicture(
      `has too many pixels: ${width} × ${height} of ${pixelBytes} bytes; make it smaller, such as ${most} × ${most}`,
    )
  }
  return { width, height, orientation }
}

function readSize(bytes: Uint8Array) {
  try {
    return imageSize(bytes)
  } catch {
    throw new NotAPicture('has no dimensions')
  }
}

function shrunk(
  bytes: Uint8Array,
  size: { width: number; height: number; orientation: number },
  maxWidth: number,
): Raster {
  const isSideways = size.orientation >= 5
  const [shownWidth, shownHeight] = isSideways
    ? [size.height, size.width]
    : [size.width, size.height]
  const scale = Math.min(1, maxWidth / shownWidth, (2 * maxWidth) / shownHeight)
  const width = Math.max(1, Math.round(size.width * scale))
  const height = Math.max(1, Math.round(size.height * scale))
  const original = photon.PhotonImage.new_from_byteslice(bytes)
  const resized = photon.resize(original, width, height, photon.SamplingFilter.Triangle)
  original.free()
  const raster = { pixels: resized.get_raw_pixels(), width, height }
  resized.free()
  return raster
}

/** Turns a photograph the way up that its camera noted (EXIF orientation 1 to 8). */
function turned({ pixels, width, height }: Raster, orientation: number): Raster {
  if (orientation === 1) return { pixels, width, height }
  const isSideways = orientation >= 5
  const [toWidth, toHeight] = isSideways ? [height, width] : [width, height]
  const from = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height)
  const to = new Uint32Array(width * height)
  const flipsX = [2, 3, 7, 8].includes(orientation)
  const flipsY = [3, 4, 6, 7].includes(orientation)
  for (let y = 0; y < toHeight; y++) {
    for (let x = 0; x < toWidth; x++) {
      const [u, v] = isSideways ? [y, x] : [x, y]
      const column = flipsX ? width - 1 - u : u
      const row = flipsY ? height - 1 - v : v
      to[y * toWidth + x] = from[row * width + column]!
    }
  }
  return { pixels: new Uint8Array(to.buffer), width: toWidth, height: toHeight }
}

function isOpaque(pixels: Uint8Array): boolean {
  for (let at = RGBA_BYTES - 1; at < pixels.length; at += RGBA_BYTES) {
    if (pixels[at] !== OPAQUE) return false
  }
  return true
}
