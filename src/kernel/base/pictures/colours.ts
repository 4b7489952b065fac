import { chunksBeforePixels } from './formats.ts'

// What the numbers of a picture without a profile mean, where browsers look at it and the decoder does not.

/** Browsers look at these before the exponent. */
const SAID_OTHERWISE = new Set(['cICP', 'iCCP', 'sRGB'])
const GAMMA_UNITS = 100_000
/** Beyond it a file says nothing that can be seen. */
const MAX_EXPONENT = 10

/** The colours that a PNG with an exponent in the place of a profile has in sRGB, by its numbers; undefined when it has none. */
export function curveOf(png: Uint8Array): Uint8Array | undefined {
  let exponent = 0
  for (const { type, data } of chunksBeforePixels(png)) {
    if (SAID_OTHERWISE.has(type)) return undefined
    if (type === 'gAMA' && data.length === 4) exponent = GAMMA_UNITS / data.readUInt32BE()
  }
  if (!(exponent > 0) || exponent > MAX_EXPONENT) return undefined
  return Uint8Array.from({ length: 256 }, (_, i) =>
    Math.round(255 * encodedLight((i / 255) ** exponent)),
  )
}

/** The curve of sRGB. */
const encodedLight = (light: number): number =>
  light <= 0.003_130_8 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055

const COLOUR_BOX = Buffer.from('colrnclx')
/** The numbers of Display P3 in ISO/IEC 23091-2: its primaries, and the curve of sRGB. */
const DISPLAY_P3 = [12, 13] as const

/** Whether an AVIF says by numbers that its colours are those of Display P3. */
export function isDisplayP3(avif: Uint8Array): boolean {
  const file = Buffer.from(avif.buffer, avif.byteOffset, avif.length)
  const at = file.indexOf(COLOUR_BOX) + COLOUR_BOX.length
  if (at < COLOUR_BOX.length || at + 4 > file.length) return false
  return DISPLAY_P3.every((number, i) => file.readUInt16BE(at + 2 * i) === number)
}
