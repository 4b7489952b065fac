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
