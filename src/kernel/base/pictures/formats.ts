/** What a picture is by its first bytes; SVG and HTML are documents that contain scripts, and are none of these. */
export type PictureFormat = 'jpeg' | 'png' | 'gif' | 'webp'

const latin1 = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', from, to)

/** The format of a file, whatever it is called and however it was declared. */
export function formatOf(bytes: Uint8Array): PictureFormat | undefined {
  if (latin1(bytes, 0, 3) === '\xff\xd8\xff') return 'jpeg'
  if (latin1(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (/^GIF8[79]a/.test(latin1(bytes, 0, 6))) return 'gif'
  if (latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP') return 'webp'
  return undefined
}

/** Every decoded picture becomes red, green, blue and alpha, with a byte for each. */
export const RGBA_BYTES = 4
/** Positions in a PNG, whose header comes first. */
const PNG_DEPTH_AT = 24
const PNG_COLOUR_TYPE_AT = 25
/** This bit of the colour type says that a pixel has red, green and blue. */
const PNG_COLOUR_BIT = 2

/**
 * Bytes of one pixel when it is decoded, at most. PNG may have two bytes for each of its channels, and an alpha channel that
 * its header does not name.
 */
export function bytesPerPixel(format: PictureFormat, bytes: Uint8Array): number {
  const isDeep = format === 'png' && bytes[PNG_DEPTH_AT] === 16
  const isColoured = (bytes[PNG_COLOUR_TYPE_AT] ?? 0) & PNG_COLOUR_BIT
  return isDeep && isColoured ? 2 * RGBA_BYTES : RGBA_BYTES
}
