import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
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

/** The custom properties of a rule of tokens.css, as they are in a theme. */
function tokensOf(rule: string): Record<'light' | 'dark', Record<string, string>> {
  const css = readFileSync(new URL('../../../web/shared/tokens.css', import.meta.url), 'utf8')
  const body = css.slice(css.indexOf(`${rule} {`)).split('}', 1)[0]!
  const found = [...body.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)]
  assert.ok(found.length > 3, rule)
  return {
    light: Object.fromEntries(found.map(([, name, light]) => [name!, light!])),
    dark: Object.fromEntries(found.map(([, name, , dark]) => [name!, dark!])),
  }
}

/** The tones that an owner chooses from; those that have no colours of their own have these. */
const WARM = tokensOf(':root')
const TONES_FOUND = [
  WARM,
  tokensOf(':root[data-tone="neutral"]'),
  tokensOf(':root[data-tone="cool"]'),
]

test('every text of the pages can be read on every ground of every tone, light and dark', () => {
  for (const tone of TONES_FOUND) {
    for (const theme of ['light', 'dark'] as const) {
      const tokens = { ...WARM[theme], ...tone[theme] }
      for (const ground of ['ground', 'surface', 'sunken']) {
        for (const text of ['ink', 'muted', 'accent', 'good', 'warn', 'bad']) {
          const found = contrast(rgbOf(tokens[text]!), rgbOf(tokens[ground]!))
          assert.ok(found >= 4.5, `${text} on ${ground}, ${theme}: ${found.toFixed(2)}`)
        }
        const edge = contrast(rgbOf(tokens.edge!), rgbOf(tokens[ground]!))
        assert.ok(edge >= 3, `edges on ${ground}, ${theme}: ${edge.toFixed(2)}`)
      }
    }
  }
})

test('the text of any accent and the text on it have a contrast of 4.5, pressed and tinted too', () => {
  const onAccents = { light: '#ffffff', dark: '#131416' } as const
  const parts = ['00', '33', '66', '99', 'cc', 'ff']
  for (const color of parts.flatMap((r) =>
    parts.flatMap((g) => parts.map((b) => `#${r}${g}${b}`)),
  )) {
    const shades = shadesOf(color)
    for (const theme of ['light', 'dark'] as const) {
      const accent = rgbOf(shades[theme])
      const onAccent = onAccents[theme]
      const tones = TONES_FOUND.map((tone) => ({ ...WARM[theme], ...tone[theme] }))
      // As applyColor of web/shared/face.ts mixes them.
      const hover = mixed(accent, 80, rgbOf(WARM[theme].ink!))
      const grounds = tones.flatMap(({ ground, surface, sunken }) => [ground!, surface!, sunken!])
      const pairs: [string, Rgb, Rgb][] = [
        ...grounds.map((ground): [string, Rgb, Rgb] => [ground, accent, rgbOf(ground)]),
        ...tones.map(({ surface }): [string, Rgb, Rgb] => [
          ...(['tinted', accent, mixed(accent, 8, rgbOf(surface!))] as const),
        ]),
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
