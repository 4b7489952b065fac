/** What a picture is by its first bytes; SVG and HTML are documents that contain scripts, and are none of these. */
export type PictureFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif'

const latin1 = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', from, to)

/** The format of a file, whatever it is called and however it was declared. */
export function formatOf(bytes: Uint8Array): PictureFormat | undefined {
  if (latin1(bytes, 0, 3) === '\xff\xd8\xff') return 'jpeg'
  if (latin1(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (/^GIF8[79]a/.test(latin1(bytes, 0, 6))) return 'gif'
  if (latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP') return 'webp'
  if (brandsOf(bytes).some((brand) => /^avi[fs]$/.test(brand))) return 'avif'
  return undefined
}

/** Pictures as iPhones store them. Their codec is patented: few libraries and browsers read it. */
export const isHeic = (bytes: Uint8Array): boolean =>
  brandsOf(bytes).some((brand) => /^(?:hei[cxms]|hev[cmsx])$/.test(brand))

/** Why a file without a format is not taken, in words that follow its name. `others` are the kinds that are taken beside pictures. */
export const notAPicture = (bytes: Uint8Array, others = ''): string =>
  isHeic(bytes)
    ? 'is a HEIC picture, which this server cannot read: send it as a JPEG, or choose Settings, Camera, Formats, Most Compatible on the iPhone'
    : `is not a picture in JPEG, PNG, GIF, WebP or AVIF${others}`

/** More brands than a file of a camera has. */
const MAX_BRANDS = 32

/** What a file of the family of MP4 says that it is: the kinds in its first box. */
function brandsOf(bytes: Uint8Array): string[] {
  if (latin1(bytes, 4, 8) !== 'ftyp') return []
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const brands = [latin1(bytes, 8, 12)]
  for (let at = 16; at + 4 <= Math.min(length, bytes.length) && brands.length < MAX_BRANDS; at += 4)
    brands.push(latin1(bytes, at, at + 4))
  return brands
}

/** Where a WebP says what it has, and the bit that says that it moves. */
const WEBP_FLAGS_AT = 20
const WEBP_MOVES = 2

/** The format of a picture that may move: every GIF, and the others when they say so. */
export function movingKind(bytes: Uint8Array): 'gif' | 'png' | 'webp' | undefined {
  switch (formatOf(bytes)) {
    case 'gif':
      return 'gif'
    case 'webp':
      return latin1(bytes, 12, 16) === 'VP8X' && bytes[WEBP_FLAGS_AT]! & WEBP_MOVES
        ? 'webp'
        : undefined
    case 'png':
      return isAnimatedPng(bytes) ? 'png' : undefined
    default:
      return undefined
  }
}

/** What a PNG says about frames stands before its picture. */
function isAnimatedPng(bytes: Uint8Array): boolean {
  for (const { type } of chunksBeforePixels(bytes)) if (type === 'acTL') return true
  return false
}

/** The parts of a PNG before its first pixels, without those that are cut off. */
export function* chunksBeforePixels(
  bytes: Uint8Array,
): Generator<{ readonly type: string; readonly data: Buffer }> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 8; at + 12 <= file.length; ) {
    const type = file.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') return
    const end = at + 8 + file.readUInt32BE(at)
    yield { type, data: file.subarray(at + 8, end) }
    at = end + 4
  }
}
