// An accent colour that can be read on the grounds of the client, light and dark, whatever the operator chose.

type Rgb = readonly [number, number, number]

/** The grounds that accents stand on, at their least contrast: --sunken of tokens.css, in the warm tone. No other tone has a worse one. */
const LIGHT: Rgb = [0xf0, 0xed, 0xe6]
const DARK: Rgb = [0x28, 0x2b, 0x2f]
/** WCAG asks for 4.5; tinted grounds need some more. */
const CONTRAST = 5.5
const STEPS = 50

/** The hue of danger (--bad of tokens.css), in degrees, and how far from it an accent stands: faults must look like faults. */
const DANGER_HUE = 355
const HUE_DISTANCE = 30
/** Colours with less of a hue than this are greys and browns, which nobody takes for danger. */
const MIN_CHROMA = 60

/** The colour as it is on light grounds and on dark ones. */
export function shadesOf(color: string): { readonly light: string; readonly dark: string } {
  const given = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const rgb = awayFromDanger([given[0]!, given[1]!, given[2]!])
  return { light: readable(rgb, [0, 0, 0], LIGHT), dark: readable(rgb, [255, 255, 255], DARK) }
}

/** The colour, or the nearest hue that is far enough from that of danger. */
function awayFromDanger(rgb: Rgb): Rgb {
  const [most, least] = [Math.max(...rgb), Math.min(...rgb)]
  const chroma = most - least
  if (chroma < MIN_CHROMA) return rgb
  const off = ((hueOf(rgb, most, chroma) - DANGER_HUE + 540) % 360) - 180
  if (Math.abs(off) >= HUE_DISTANCE) return rgb
  const hue = DANGER_HUE + (off < 0 ? -HUE_DISTANCE : HUE_DISTANCE)
  return ofHue((hue + 360) % 360, most, chroma)
}

function hueOf([r, g, b]: Rgb, most: number, chroma: number): number {
  if (most === r) return (60 * ((g - b) / chroma) + 360) % 360
  return most === g ? 60 * ((b - r) / chroma) + 120 : 60 * ((r - g) / chroma) + 240
}

/** As HSV defines it. */
function ofHue(hue: number, most: number, chroma: number): Rgb {
  const part = (n: number) => {
    const k = (n + hue / 60) % 6
    return Math.round(most - chroma * Math.max(0, Math.min(k, 4 - k, 1)))
  }
  return [part(5), part(3), part(1)]
}

/** Mixes the colour with another one until it can be read on a ground. */
function readable(rgb: Rgb, towards: Rgb, ground: Rgb): string {
  for (let step = 0; step < STEPS; step++) {
    const share = step / STEPS
    const mixed = rgb.map((part, i) => Math.round(part + (towards[i]! - part) * share))
    const found: Rgb = [mixed[0]!, mixed[1]!, mixed[2]!]
    if (contrast(found, ground) >= CONTRAST) return hexOf(found)
  }
  return hexOf(towards)
}

const hexOf = (rgb: Rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** As WCAG 2 defines it. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high! + 0.05) / (low! + 0.05)
}

function luminance([r, g, b]: Rgb): number {
  const [x, y, z] = [r, g, b].map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * x! + 0.7152 * y! + 0.0722 * z!
}
