import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Counted } from './client.ts'
import { UnreadBytes } from './unread.ts'

/** A client, alone in its network unless given. */
const one = (name: string, network = name): Counted => ({ name, network })

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
    assert.equal(unread.tryAcquire(one(`greedy ${i}`), answer, 16), true)
  }
  assert.equal(unread.tryAcquire(one('newcomer'), newAnswer(), 1), true)
  assert.equal(held.filter(({ isReset }) => isReset).length, 1)
  assert.equal(unread.used, 7 * 16 + 1)
})

test('a client that would hold most itself is refused, and nobody loses anything', () => {
  const unread = new UnreadBytes({ total: 10, perClient: 10 })
  const held = newAnswer()
  unread.tryAcquire(one('a'), held, 5)
  unread.tryAcquire(one('b'), newAnswer(), 4)
  assert.equal(unread.tryAcquire(one('b'), newAnswer(), 4), false)
  assert.equal(unread.tryAcquire(one('c'), newAnswer(), 11), false)
  assert.deepEqual([held.isReset, unread.used], [false, 9])
})

test('an answer that was reset is not counted twice when it closes', () => {
  const unread = new UnreadBytes({ total: 10, perClient: 10 })
  const answer = newAnswer()
  unread.acquire(one('a'), answer, 8)
  unread.acquire(one('b'), newAnswer(), 4)
  assert.equal(answer.isReset, true)
  unread.release(one('a'), answer, 8)
  assert.deepEqual([unread.used, unread.usedBy('a'), unread.usedBy('b')], [4, 0, 4])
})

test('the many /64 of one site give way to others, and to none of their own that has as much', () => {
  const unread = new UnreadBytes({ total: 128, perClient: 16 })
  const held = Array.from({ length: 32 }, newAnswer)
  for (const [i, answer] of held.entries()) {
    assert.equal(unread.tryAcquire(one(`2001:db8:1:${i}`, '2001:db8:1'), answer, 4), true)
  }
  assert.equal(unread.tryAcquire(one('2001:db8:1:99', '2001:db8:1'), newAnswer(), 4), false)
  // An ordinary client gets as much as one client may have, although each of those has less.
  assert.equal(unread.tryAcquire(one('192.0.2.1'), newAnswer(), 16), true)
  assert.equal(held.filter(({ isReset }) => isReset).length, 4)
  assert.equal(unread.used, 128)
})

test('more than all together may have is refused while nobody has anything', () => {
  const unread = new UnreadBytes({ total: 10, perClient: 20 })
  assert.equal(unread.tryAcquire(one('a'), newAnswer(), 11), false)
})
