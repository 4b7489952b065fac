import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrast, shadesOf } from './shades.ts'

/** In degrees from the hue of danger. */
function offDanger(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  const most = Math.max(r, g, b)
  const chroma = most - Math.min(r, g, b)
  const part =
    most === r ? (g - b) / chroma : most === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4
  return Math.abs(((60 * part - 355 + 900) % 360) - 180)
}

test('an accent is kept away from the hue of danger, and others stay as they are chosen', () => {
  for (const red of ['#ff0000', '#c01530', '#e0203a', '#b00020', '#ff3b30', '#d10056']) {
    const { light, dark } = shadesOf(red)
    assert.ok(offDanger(light) >= 25, `${red} is ${light} on light grounds`)
    assert.ok(offDanger(dark) >= 25, `${red} is ${dark} on dark grounds`)
  }
  assert.equal(shadesOf('#0b5d57').light, '#0b5d57')
  assert.equal(shadesOf('#663399').light, '#663399')
})

type Rgb = readonly [number, number, number]

const rgbOf = (hex: string): Rgb => {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return [r!, g!, b!]
}

/** `color-mix(in srgb, a share%, b)` */
const mixed = (a: Rgb, share: number, b: Rgb): Rgb => {
  const [x, y, z] = a.map((part, i) => (part * share + b[i]! * (100 - share)) / 100)
  return [x!, y!, z!]
}

test('the text of any accent and the text on it have a contrast of 4.5, pressed and tinted too', () => {
  const themes = {
    light: { ink: '#1b1a18', onAccent: '#ffffff', grounds: ['#f5f3ee', '#ffffff', '#f0ede6'] },
    dark: { ink: '#f0ede7', onAccent: '#131416', grounds: ['#131416', '#1d1f22', '#282b2f'] },
  } as const
  const parts = ['00', '33', '66', '99', 'cc', 'ff']
  for (const color of parts.flatMap((r) =>
    parts.flatMap((g) => parts.map((b) => `#${r}${g}${b}`)),
  )) {
    const shades = shadesOf(color)
    for (const theme of ['light', 'dark'] as const) {
      const { ink, onAccent, grounds } = themes[theme]
      const accent = rgbOf(shades[theme])
      // As applyColor of web/shared/face.ts mixes them.
      const hover = mixed(accent, 80, rgbOf(ink))
      const tinted = mixed(accent, 8, rgbOf(grounds[1]))
      const pairs: [string, Rgb, Rgb][] = [
        ...grounds.map((ground): [string, Rgb, Rgb] => [ground, accent, rgbOf(ground)]),
        ['tinted', accent, tinted],
        ['on it', rgbOf(onAccent), accent],
        ['on it, pressed', rgbOf(onAccent), hover],
      ]
      for (const [where, text, ground] of pairs) {
        const found = contrast(text, ground)
        assert.ok(found >= 4.5, `${color} ${theme} ${where}: ${found.toFixed(2)}`)
      }
    }
  }
})
