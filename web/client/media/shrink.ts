// Photographs are made smaller before they are sent: nobody sees more of them, and a phone's line is slow.

/** The longest side of what is sent. The server shows 1,600 pixels in width. */
const MAX_SIDE = 2_560
const QUALITY = 0.9
/** Bytes in which a file says that it moves. */
const HEAD_BYTES = 4_096
/** What may be made smaller. Other types are sent as they are, and so is what this browser cannot decode. */
const SHRUNK = /^image\/(?:jpeg|png|webp|avif|heic|heif)$/
/** Only some browsers decode it, and the server does not: where it can be decoded, it is always drawn. */
const HEIC = /^image\/hei[cf]$/

/** The picture upright and smaller, with its colours; the file itself where that is not possible or of no use. */
export async function shrunk(file: Blob): Promise<Blob> {
  if (!SHRUNK.test(file.type) || (await isMoving(file))) return file
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) return file
  const isHeic = HEIC.test(file.type)
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height))
  const smaller = scale < 1 || isHeic ? await drawn(bitmap, scale, typeFor(file.type)) : undefined
  bitmap.close()
  return smaller && (isHeic || smaller.size < file.size) ? smaller : file
}

/** All but photographs of cameras may be transparent. A browser that writes no WebP writes a PNG. */
const typeFor = (type: string) =>
  /jpeg/.test(type) || HEIC.test(type) ? 'image/jpeg' : 'image/webp'

function drawn(bitmap: ImageBitmap, scale: number, type: string): Promise<Blob | undefined> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d', { colorSpace: 'display-p3' })
  if (!context) return Promise.resolve(undefined)
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(blob ?? undefined), type, QUALITY),
  )
}

/** Whether a WebP, PNG or AVIF says at its beginning that it moves. */
async function isMoving(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const text = String.fromCharCode(...head)
  if (text.slice(8, 16) === 'WEBPVP8X') return (head[20]! & 2) !== 0
  if (text.slice(4, 8) === 'ftyp') return brandsIn(text).includes('avis')
  return text.startsWith('\x89PNG') && text.includes('acTL')
}

/** The kinds that a file of the family of MP4 says it is of: its first box, which begins with its length. */
function brandsIn(head: string): string[] {
  const length = (head.charCodeAt(2) << 8) | head.charCodeAt(3)
  return head.slice(8, length).match(/.{4}/gs) ?? []
}
