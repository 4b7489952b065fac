import { RefusedFile } from './refused.ts'

// What pictures that move may ask of a browser, which decodes each of their frames.

/** Frames and sides of one file. */
export const MAX_FRAMES = 1_000
export const MAX_SIDE_PIXELS = 2_000
/** All frames together: about four seconds of decoding on a phone. */
const MAX_FRAME_PIXELS = 400_000_000

/** A file that is kept without being decoded. */
export type Moving = {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
  readonly frames: number
}

export function checkSides(width: number, height: number): void {
  if (width === 0 || height === 0) throw new RefusedFile('has no dimensions')
  if (width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS) {
    throw new RefusedFile(
      `moves and has too many pixels: ${width} × ${height}; make it smaller, such as 1000 × 1000`,
    )
  }
}

export function checkFrames({ width, height, frames }: Omit<Moving, 'bytes'>): void {
  if (frames > MAX_FRAMES || frames * width * height > MAX_FRAME_PIXELS)
    throw new RefusedFile(`has too many frames of ${width} × ${height} pixels`)
}
