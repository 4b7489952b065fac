import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnreadBytes } from './unread.ts'

const newAnswer = () => {
  const answer = {
    isReset: false,
    reset() {
      answer.isReset = true
    },
  }
  return answer
}

test('a newcomer is answered while eight clients that never read hold all there is', () => {
  const unread = new UnreadBytes({ total: 128, perClient: 16 })
  const held = Array.from({ length: 8 }, newAnswer)
  for (const [i, answer] of held.entries()) {
    assert.equal(unread.tryAcquire(`greedy ${i}`, answer, 16), true)
  }
  assert.equal(unread.tryAcquire('newcomer', newAnswer(), 1), true)
  assert.equal(held.filter(({ isReset }) => isReset).length, 1)
  assert.equal(unread.used, 7 * 16 + 1)
})

test('a client that would hold most itself is refused, and nobody loses anything', () => {
  const unread = new UnreadBytes({ total: 10, perClient: 10 })
  const held = newAnswer()
  unread.tryAcquire('a', held, 5)
  unread.tryAcquire('b', newAnswer(), 4)
  assert.equal(unread.tryAcquire('b', newAnswer(), 4), false)
  assert.equal(unread.tryAcquire('c', newAnswer(), 11), false)
  assert.deepEqual([held.isReset, unread.used], [false, 9])
})

test('an answer that was reset is not counted twice when it closes', () => {
  const unread = new UnreadBytes({ total: 10, perClient: 10 })
  const answer = newAnswer()
  unread.acquire('a', answer, 8)
  unread.acquire('b', newAnswer(), 4)
  assert.equal(answer.isReset, true)
  unread.release('a', answer, 8)
  assert.deepEqual([unread.used, unread.usedBy('a'), unread.usedBy('b')], [4, 0, 4])
})
