import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneByOne } from '../web/shared/in-turn.ts'
import { Refusal } from '../web/shared/request.ts'

test('one after the other is done until it is stopped, also in a wait, and then what was refused and what was not begun is left', async () => {
  const counts: number[] = []
  const done = await oneByOne(
    ['a', 'b', 'c'],
    async (item) => {
      if (item === 'b') throw new Error('was resolved already')
    },
    (count) => counts.push(count),
    new AbortController().signal,
  )
  assert.deepEqual(done, { failed: [{ item: 'b', message: 'was resolved already' }], left: [] })
  assert.deepEqual(counts, [1, 2, 3])

  const stop = new AbortController()
  const asked: string[] = []
  const stopped = await oneByOne(
    ['a', 'b', 'c', 'd'],
    async (item) => {
      asked.push(item)
      if (item === 'a') throw new Error('is about yourself')
      // The server asks to wait, and who reads that closes the dialog.
      if (item !== 'c') return
      setTimeout(() => stop.abort())
      throw new Refusal(429, 'too many', { retryAfter: 60 })
    },
    () => {},
    stop.signal,
  )
  assert.deepEqual(stopped.left, ['a', 'c', 'd'])
  assert.deepEqual(asked, ['a', 'b', 'c'])
})
