import { checkFrames, checkSides, type Moving } from './moving.ts'
import { RefusedFile } from './refused.ts'

// Animated WebP is played by browsers, so it is not decoded here. It is taken apart by its chunks and written again with what
// is needed to play it: no EXIF, XMP or profile, no unknown chunks, and nothing behind its end.

const HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8
const FRAME_HEADER_BYTES = 16
/** Flags of the first chunk that stay: that it moves, and that it has alpha. */
const KEPT_FLAGS = 0x12
const CODED = new Set(['ALPH', 'VP8 ', 'VP8L'])

type Chunk = { readonly type: string; readonly data: Uint8Array }

/** Throws RefusedFile for what is cut off or larger than it says. */
export function cleanWebp(bytes: Uint8Array): Moving {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const kept: Uint8Array[] = []
  let size = { width: 0, height: 0 }
  let frames = 0
  const end = CHUNK_HEADER_BYTES + file.readUInt32LE(4)
  for (const { type, data } of chunksOf(file, HEADER_BYTES, end)) {
    if (type === 'VP8X') {
      size = { width: 1 + readUInt24(data, 4), height: 1 + readUInt24(data, 7) }
      checkSides(size.width, size.height)
      const header = Buffer.from(data.subarray(0, 10))
      header[0]! &= KEPT_FLAGS
      kept.push(chunk(type, header))
    } else if (type === 'ANIM') kept.push(chunk(type, data.subarray(0, 6)))
    else if (type === 'ANMF') {
      frames += 1
      checkFrames({ ...size, frames })
      kept.push(frameOf(data, size))
    }
  }
  if (frames === 0) throw new RefusedFile('has no frames')
  const body = Buffer.concat([Buffer.from('WEBP'), ...kept])
  return { bytes: chunk('RIFF', body), ...size, frames }
}

/** A frame with its position, its time and its coded picture. */
function frameOf(data: Buffer, { width, height }: { width: number; height: number }): Buffer {
  const [left, top, wide, high] = [0, 3, 6, 9].map((at) => readUInt24(data, at))
  if (2 * left! + wide! + 1 > width || 2 * top! + high! + 1 > height)
    throw new RefusedFile('has a frame that is larger than the picture')
  const coded = [...chunksOf(data, FRAME_HEADER_BYTES, data.length)].filter(({ type }) =>
    CODED.has(type),
  )
  const parts = coded.map((one) => chunk(one.type, one.data))
  return chunk('ANMF', Buffer.concat([data.subarray(0, FRAME_HEADER_BYTES), ...parts]))
}

function* chunksOf(file: Buffer, from: number, end: number): Generator<Chunk & { data: Buffer }> {
  if (end > file.length) throw new RefusedFile('is cut off')
  for (let at = from; at + CHUNK_HEADER_BYTES <= end; ) {
    const length = file.readUInt32LE(at + 4)
    const body = at + CHUNK_HEADER_BYTES
    if (body + length > end) throw new RefusedFile('is cut off')
    yield { type: file.toString('latin1', at, at + 4), data: file.subarray(body, body + length) }
    at = body + length + (length % 2)
  }
}

function readUInt24(data: Buffer, at: number): number {
  return data.readUIntLE(at, 3)
}

function chunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(CHUNK_HEADER_BYTES)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
