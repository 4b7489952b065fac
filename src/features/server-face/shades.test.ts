import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shadesOf } from './shades.ts'

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
