// Pictures of other programs for tests: pixels in any format, and the pixels of any picture.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import load from 'wasm-vips'
import { findProgram } from './debian.ts'

const vips = await load({ dynamicLibraries: ['vips-heif.wasm'] })
vips.Cache.max(0)

type Image = InstanceType<typeof vips.Image>
export type Pixels = {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
}
type Options = {
  /** A profile of the library, which is put into the file, and by which its numbers are made. */
  readonly profile?: 'p3' | 'cmyk' | 'srgb' | undefined
  readonly orientation?: number
  readonly isDeep?: boolean
}

/** A file of red, green, blue and alpha. The suffix names format and options, such as `.jpg[Q=90]`. */
export function encode(
  { pixels, width, height }: Pixels,
  suffix: string,
  options: Options = {},
): Buffer {
  let image: Image = vips.Image.newFromMemory(pixels, width, height, 4, vips.BandFormat.uchar).copy(
    {
      interpretation: 'srgb',
    },
  )
  if (image.extractBand(3).min() === 255) image = image.extractBand(0, { n: 3 })
  if (options.isDeep) image = image.colourspace('rgb16')
  if (options.profile) image = image.iccTransform(options.profile, { input_profile: 'srgb' })
  const { orientation } = options
  if (orientation) {
    image = image.copy()
    image.setInt('orientation', orientation)
  }
  return Buffer.from(image.writeToBuffer(suffix))
}

/** Red, green, blue and alpha as browsers show them. */
export function decode(bytes: Uint8Array): Pixels {
  const image = vips.Image.newFromBuffer(bytes).colourspace('srgb')
  const full = image.hasAlpha() ? image : image.bandjoin(255)
  return { pixels: full.writeToMemory() as Uint8Array, width: image.width, height: image.height }
}

/** Cyan, magenta, yellow and black of a JPEG. */
export function decodeInks(bytes: Uint8Array): Pixels {
  const image = vips.Image.newFromBuffer(bytes)
  return { pixels: image.writeToMemory() as Uint8Array, width: image.width, height: image.height }
}

/** Red, green and blue at a place of a picture, from 0 to 1. */
export function colourAt({ pixels, width, height }: Pixels, u: number, v: number): number[] {
  const at = (Math.floor(v * height) * width + Math.floor(u * width)) * 4
  return [...pixels.subarray(at, at + 3)]
}

/** A picture of what a function says about each of its pixels. */
export function paint(
  width: number,
  height: number,
  colour: (x: number, y: number) => readonly number[],
): Pixels {
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) pixels.set(colour(x, y), (y * width + x) * 4)
  return { pixels, width, height }
}

/** A WebP of frames of these colours, one below the other in memory as the library wants them. */
export function movingWebp(
  width: number,
  height: number,
  colours: readonly (readonly number[])[],
): Buffer {
  const { pixels } = paint(
    width,
    height * colours.length,
    (_, y) => colours[Math.floor(y / height)]!,
  )
  const image = vips.Image.newFromMemory(
    pixels,
    width,
    height * colours.length,
    4,
    vips.BandFormat.uchar,
  ).copy({ interpretation: 'srgb' })
  image.setInt('page-height', height)
  return Buffer.from(image.writeToBuffer('.webp[lossless=true]'))
}

/** A moving AVIF as ffmpeg writes it: frames of its test picture, coded with `more` options. */
export async function movingAvif(
  width: number,
  height: number,
  frames: number,
  ...more: string[]
): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-avif-'))
  const file = join(dir, 'moving.avif')
  const source = `testsrc=size=${width}x${height}:rate=5,format=yuv420p`
  const coding = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-frames:v', String(frames), ...more]
  try {
    const ffmpeg = await findProgram(['ffmpeg'], 'ffmpeg')
    await promisify(execFile)(ffmpeg, ['-f', 'lavfi', '-i', source, ...coding, '-f', 'avif', file])
    return readFileSync(file)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** A large file, made without holding its pixels. */
export function blackJpeg(width: number, height: number, options = ''): Buffer {
  const image = vips.Image.black(width, height, { bands: 3 }).copy({ interpretation: 'srgb' })
  return Buffer.from(image.writeToBuffer(`.jpg[${options}]`))
}
