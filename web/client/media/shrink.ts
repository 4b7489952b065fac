// Photographs are made smaller before they are sent: nobody sees more of them, and a phone's line is slow.

/** The longest side of what is sent. The server shows 1,600 pixels in width. */
const MAX_SIDE = 2_560
const QUALITY = 0.9
/** Bytes in which a file says that it moves. */
const HEAD_BYTES = 4_096
/** What may move is sent as it is, and so is what this browser cannot decode. */
const STILL = /^image\/(?:jpeg|png|webp|avif|heic|heif)$/

/** The picture upright and smaller, with its colours; the file itself where that is not possible or of no use. */
export async function shrunk(file: Blob): Promise<Blob> {
  if (!STILL.test(file.type) || (await isMoving(file))) return file
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) return file
  const scale = MAX_SIDE / Math.max(bitmap.width, bitmap.height)
  const smaller = scale < 1 ? await drawn(bitmap, scale, typeFor(file.type)) : undefined
  bitmap.close()
  return smaller && smaller.size < file.size ? smaller : file
}

/** PNG and WebP may be transparent. */
const typeFor = (type: string) => (/png|webp/.test(type) ? 'image/webp' : 'image/jpeg')

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

/** Whether a WebP or PNG says at its beginning that it moves. */
async function isMoving(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const text = String.fromCharCode(...head)
  return text.includes('acTL') || (text.slice(8, 16) === 'WEBPVP8X' && (head[20]! & 2) !== 0)
}
