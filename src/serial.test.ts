import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { serial } from './serial.ts'

test('work runs in the order of the calls and never overlaps, also after a failure', async () => {
  const queue = serial()
  const seen: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      seen.push(`${name} starts`)
      await turn()
      seen.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const [a, b, c] = [queue.run(work('a')), queue.run(work('b', true)), queue.run(work('c'))]
  assert.equal(await a, 'a')
  await assert.rejects(b, /^Error: b$/)
  assert.equal(await c, 'c')
  const expected = ['a', 'b', 'c'].flatMap((name) => [`${name} starts`, `${name} ends`])
  assert.deepEqual(seen, expected)
})

test('the queue is idle once what was queued is done, and waiting for that never fails', async () => {
  const queue = serial()
  let done = false
  const failing = queue.run(async () => {
    await turn()
    done = true
    throw new Error('failed')
  })
  failing.catch(() => {})
  await queue.idle()
  assert.equal(done, true)
})
