import { checkFrames, checkSides, MAX_FRAMES, type Moving } from './moving.ts'
import { RefusedFile } from './refused.ts'

// GIF files are played by browsers, so they are not decoded here. They are taken apart by their blocks and written again
// with what is needed to play them: no comments, no metadata, and nothing behind their end.

/** Times of frames and repetitions: one of each for a frame, and some that programs write twice. */
const MAX_EXTENSIONS = 3 * MAX_FRAMES
const HEADER_BYTES = 13
const IMAGE_HEADER_BYTES = 10
const IMAGE = 0x2c
const EXTENSION = 0x21
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
const TRAILER = 0x3b
/** The application that says how often the frames are repeated. */
const LOOP = 'NETSCAPE2.0'
const LOOP_BYTES = 19

/** Throws RefusedFile for a file that ends within a frame. Others are taken as browsers take them. */
export function cleanGif(bytes: Uint8Array): Moving {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < HEADER_BYTES) throw new RefusedFile('is cut off')
  let [width, height] = [view.getUint16(6, true), view.getUint16(8, true)]
  const kept: Uint8Array[] = []
  const keep = (from: number, to: number) => {
    if (to > bytes.length) throw new RefusedFile('is cut off')
    kept.push(bytes.subarray(from, to))
    return to
  }
  let at = keep(0, HEADER_BYTES + tableBytes(bytes[10]!))
  let frames = 0
  let extensions = 0
  for (;;) {
    const kind = bytes[at]
    // Chats and downloaders lose the last byte.
    if (kind === TRAILER || (at === bytes.length && frames > 0)) break
    if (kind === IMAGE) {
      const [right, bottom] = edgesOf(view, at)
      // Browsers show the first frame whole, and of others what is within the picture.
      if (frames === 0) [width, height] = [Math.max(width, right), Math.max(height, bottom)]
      checkSides(Math.max(width, right), Math.max(height, bottom))
      frames += 1
      checkFrames({ width, height, frames })
      // The byte after the colours is the size of the codes.
      const data = at + IMAGE_HEADER_BYTES + tableBytes(bytes[at + 9]!) + 1
      at = keep(at, endOfBlocks(bytes, data))
    } else if (kind === EXTENSION) {
      const end = endOfBlocks(bytes, at + 2)
      if (isNeeded(bytes, at, end)) {
        keep(at, end)
        extensions += 1
        if (extensions > MAX_EXTENSIONS) throw new RefusedFile('has too many extensions')
      }
      at = end
    } else {
      throw new RefusedFile('is cut off')
    }
  }
  if (frames === 0) throw new RefusedFile('has no frames')
  kept.push(Uint8Array.of(TRAILER))
  return { bytes: Buffer.concat(kept), width, height, frames }
}

/** Bytes of the table of colours that these flags announce. */
const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** Where the frame at a position ends, in pixels of the picture. */
function edgesOf(view: DataView, at: number): [right: number, bottom: number] {
  if (at + IMAGE_HEADER_BYTES > view.byteLength) throw new RefusedFile('is cut off')
  const [left, top, wide, high] = [1, 3, 5, 7].map((offset) => view.getUint16(at + offset, true))
  return [left! + wide!, top! + high!]
}

/** The position after a list of blocks, each of which begins with its length; one of no bytes ends it. */
function endOfBlocks(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const length = bytes[at]
    if (length === undefined) throw new RefusedFile('is cut off')
    at += 1 + length
    if (length === 0) return at
  }
}

/** Of extensions only times of frames and repetition are needed. */
function isNeeded(bytes: Uint8Array, at: number, end: number): boolean {
  const kind = bytes[at + 1]
  if (kind === GRAPHIC_CONTROL) return end - at === 8
  if (kind !== APPLICATION || end - at !== LOOP_BYTES) return false
  return Buffer.from(bytes.subarray(at + 3, at + 3 + LOOP.length)).toString('latin1') === LOOP
}
