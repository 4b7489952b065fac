import { checkFrames, checkSides, MAX_FRAMES, type Moving } from './moving.ts'
import { RefusedFile } from './refused.ts'

// Animated PNG is played by browsers, so it is not decoded here. It is taken apart by its chunks and written again with those
// that are needed to play it: no texts, EXIF or profile, no unknown chunks, and nothing behind its end.

const SIGNATURE_BYTES = 8
/** Beside its data: a length and a type before, a sum behind. */
const CHUNK_BYTES = 12
/** What is kept, with the most bytes of its data. */
const KEPT: Readonly<Record<string, number>> = {
  ...{ IHDR: 13, PLTE: 768, tRNS: 256, sRGB: 1, gAMA: 4, cHRM: 32, acTL: 8, fcTL: 26, IEND: 0 },
  ...{ IDAT: Number.POSITIVE_INFINITY, fdAT: Number.POSITIVE_INFINITY },
}
/** Data of one file: encoders write some kilobytes in each. */
const MAX_CHUNKS = 50 * MAX_FRAMES

/** Throws RefusedFile for what is cut off or larger than it says. */
export function cleanApng(bytes: Uint8Array): Moving {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const kept: Uint8Array[] = [file.subarray(0, SIGNATURE_BYTES)]
  let size = { width: 0, height: 0 }
  let frames = 0
  for (let at = SIGNATURE_BYTES; ; ) {
    if (at + CHUNK_BYTES > file.length) throw new RefusedFile('is cut off')
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const data = at + 8
    const end = at + CHUNK_BYTES + length
    if (end > file.length) throw new RefusedFile('is cut off')
    if (length <= (KEPT[type] ?? -1)) kept.push(file.subarray(at, end))
    if (kept.length > MAX_CHUNKS) throw new RefusedFile('has too many parts')
    if (type === 'IHDR') {
      size = { width: file.readUInt32BE(data), height: file.readUInt32BE(data + 4) }
      checkSides(size.width, size.height)
    } else if (type === 'fcTL') {
      frames += 1
      checkFrames({ ...size, frames })
      const [wide, high, left, top] = [4, 8, 12, 16].map((offset) =>
        file.readUInt32BE(data + offset),
      )
      if (left! + wide! > size.width || top! + high! > size.height)
        throw new RefusedFile('has a frame that is larger than the picture')
    } else if (type === 'IEND') break
    at = end
  }
  if (frames === 0) throw new RefusedFile('has no frames')
  return { bytes: Buffer.concat(kept), ...size, frames }
}
