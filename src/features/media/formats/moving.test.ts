import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFrames, checkSides } from './moving.ts'

test('a moving picture may have a thousand small frames or a hundred of the largest, and not one more', () => {
  checkFrames({ width: 1, height: 1, frames: 1_000 })
  checkFrames({ width: 2_000, height: 2_000, frames: 100 })
  for (const [side, frames] of [
    [1, 1_001],
    [2_000, 101],
  ] as const) {
    const fault = new RegExp(`has too many frames of ${side} × ${side} pixels`)
    assert.throws(() => checkFrames({ width: side, height: side, frames }), fault)
  }
})

test('the sides of a moving picture are from 1 to 2000 pixels', () => {
  checkSides(1, 2_000)
  checkSides(2_000, 1)
  for (const [width, height] of [
    [2_001, 1],
    [1, 2_001],
  ] as const) {
    assert.throws(() => checkSides(width, height), /too many pixels: .* make it smaller/)
  }
  assert.throws(() => checkSides(0, 1), /has no dimensions/)
  assert.throws(() => checkSides(1, 0), /has no dimensions/)
})
