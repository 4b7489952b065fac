import { crc32, deflateSync } from 'node:zlib'
import { concatBytes, toUtf8, u32be } from '../kernel/protocol/codec/bytes.ts'
import { FIRST_NAMES } from './accounts.ts'

// The pictures of the development world, drawn when they are asked for: portraits of the first accounts and a few
// views. They are PNG, which every client shows.

type Colour = readonly [red: number, green: number, blue: number]
/** The colour at a place; both coordinates go from 0 to 1, from the top left. */
type Drawing = (x: number, y: number) => Colour
type Picture = { readonly width: number; readonly height: number; readonly draw: Drawing }

const PORTRAIT_PIXELS = 192
const VIEW_PIXELS = { width: 720, height: 405 }

/** Every picture by its name. */
export const PICTURES: ReadonlyMap<string, Picture> = new Map([
  ...FIRST_NAMES.map((name, i) => [name, portrait(i)] as const),
  ...Object.entries({ fog, tide, nest, 'cold-room': coldRoom }).map(
    ([name, draw]) => [name, { ...VIEW_PIXELS, draw }] as const,
  ),
])

/** The bytes of a PNG file: 8 bits for each of red, green and blue. */
export function png({ width, height, draw }: Picture): Uint8Array {
  const rows = new Uint8Array(height * (1 + 3 * width))
  for (let y = 0, at = 0; y < height; y++) {
    // Each row begins with the number of its filter: none.
    at += 1
    for (let x = 0; x < width; x++, at += 3) {
      rows.set(draw(x / (width - 1), y / (height - 1)).map(Math.round), at)
    }
  }
  const size = concatBytes(u32be(width), u32be(height), Uint8Array.of(8, 2, 0, 0, 0))
  const head = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  const parts = [chunk('IHDR', size), chunk('IDAT', deflateSync(rows))]
  return concatBytes(head, ...parts, chunk('IEND', new Uint8Array()))
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = concatBytes(toUtf8(type), data)
  return concatBytes(u32be(data.length), body, u32be(crc32(body)))
}

const WHITE: Colour = [250, 250, 247]
const INK: Colour = [28, 30, 36]
const BEAK: Colour = [240, 160, 50]

/** A bird looking right, each on a colour of its own. */
function portrait(index: number): Picture {
  const ground = hue(index / FIRST_NAMES.length, 0.75)
  const body = hue((index + 4) / FIRST_NAMES.length, 0.35)
  const draw: Drawing = (x, y) => {
    if (isInside(x, y, 0.54, 0.38, 0.03)) return INK
    if (isInside(x, y, 0.54, 0.38, 0.06)) return WHITE
    if (x > 0.6 && Math.abs(y - 0.43) < (0.84 - x) * 0.35) return BEAK
    if (isInside(x, y, 0.47, 0.42, 0.2) || isInside(x, y, 0.42, 0.95, 0.4)) return body
    return ground
  }
  return { width: PORTRAIT_PIXELS, height: PORTRAIT_PIXELS, draw }
}

const isInside = (x: number, y: number, cx: number, cy: number, radius: number) =>
  (x - cx) ** 2 + (y - cy) ** 2 < radius ** 2

/** A colour of the wheel; `light` mixes it with white. */
function hue(turn: number, light: number): Colour {
  const channel = (offset: number) => {
    const wave = 0.5 + 0.5 * Math.cos(2 * Math.PI * (turn + offset))
    return 255 * (light + (1 - light) * wave * 0.8)
  }
  return [channel(0), channel(1 / 3), channel(2 / 3)]
}

const mix = (a: Colour, b: Colour, share: number): Colour => {
  const part = Math.min(1, Math.max(0, share))
  const channel = (i: 0 | 1 | 2) => a[i] + (b[i] - a[i]) * part
  return [channel(0), channel(1), channel(2)]
}

/** Morning sun over reeds. */
function fog(x: number, y: number): Colour {
  const sky = mix([214, 222, 230], [248, 226, 196], y * 1.3)
  const distance = Math.hypot((x - 0.68) * 1.78, y - 0.36)
  const lit = mix([255, 244, 214], sky, (distance - 0.07) * 6)
  const reed = 0.78 - 0.16 * Math.abs(Math.sin(x * 61) * Math.sin(x * 23 + 1))
  return y > reed ? mix(lit, [92, 104, 88], (y - reed) * 4) : lit
}

/** Waves towards the shore. */
function tide(x: number, y: number): Colour {
  if (y < 0.34) return mix([150, 190, 220], [226, 236, 240], y / 0.34)
  const wave = Math.sin(y * 70 + Math.sin(x * 9 + y * 20) * 1.6)
  const sea = mix([36, 92, 120], [120, 170, 180], (y - 0.34) * 1.3)
  return wave > 0.8 ? mix(sea, WHITE, 0.5 * y) : sea
}

/** Sticks, crossed. */
function nest(x: number, y: number): Colour {
  const ring = Math.hypot((x - 0.5) * 1.4, (y - 0.58) * 1.9)
  if (ring > 0.6 || ring < 0.18) return mix([206, 222, 206], [162, 186, 160], ring)
  const across = Math.sin((x * 1.7 + y) * 90) + Math.sin((x * 1.4 - y) * 74)
  return mix([92, 66, 44], [178, 140, 98], 0.5 + across / 4)
}

/** Racks with lamps. */
function coldRoom(x: number, y: number): Colour {
  const rack = (x * 8) % 1
  if (rack < 0.08) return [16, 20, 28]
  const isLamp = (y * 22) % 1 > 0.55 && rack > 0.7 && rack < 0.78
  if (isLamp) return [90, 240, 150]
  return mix([38, 48, 66], [22, 28, 40], y + ((y * 22) % 1 < 0.12 ? 0.5 : 0))
}
