import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Progress } from './progress.ts'

test('progress tells the speed of the last half a minute, and when the rest is read at that speed', () => {
  let now = 1_000
  const progress = new Progress(() => now)
  assert.deepEqual([progress.perSecond, progress.etaSeconds(10)], [0, undefined])
  for (let second = 0; second < 60; second++) {
    now++
    progress.noteMessages(second < 30 ? 100 : 500)
    progress.notePerson()
  }
  assert.equal(progress.merged, 18_000)
  assert.ok(Math.abs(progress.perSecond - 500) <= 20, `${progress.perSecond}`)
  assert.equal(progress.etaSeconds(60), 60)
  now += 31
  assert.deepEqual([progress.perSecond, progress.etaSeconds(60)], [0, undefined])
})
