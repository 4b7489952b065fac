import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rejection } from '../../protocol/rejection.ts'
import { schemaStyle } from '../faults.ts'
import { cursorParam, encodeCursor, limitParam, pageTokenParam } from './paging.ts'

/** CPU time of some work, in microseconds. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const ignoreRefusal = (work: () => void) => {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Rejection)
  }
}

test('security finding 2: the cost of a hostile page token grows no faster than its length', () => {
  const hostile = (length: number) => `${'='.repeat(length)}a`
  const cost = (text: string) =>
    cpuOf(() => {
      for (let i = 0; i < 20; i++) ignoreRefusal(() => pageTokenParam.parse(text, 'pageToken'))
    })
  cost(hostile(15_500))
  // /=+$/ needs 400 ms for each of these, 8 s in all; a scan needs well below a millisecond.
  assert.ok(cost(hostile(15_500)) < 1_000_000)
})

test('the pattern of page tokens documents exactly the tokens that are accepted', () => {
  const pattern = new RegExp(String(pageTokenParam.schema.pattern))
  for (const length of [1, 2, 3, 4, 5, 511, 512, 513]) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const token = Buffer.alloc(length, 0xfb).toString(encoding)
      assert.equal(pattern.test(token), length <= 512, `${length} bytes`)
      if (length > 512) assert.throws(() => pageTokenParam.parse(token, 'x'), /too long/)
      else assert.equal(pageTokenParam.parse(token, 'x')?.length, length)
    }
  }
  for (const text of ['A', 'AAAAA', 'AA===', '=A', 'A=A', 'A.', '%']) {
    assert.equal(pattern.test(text), false, text)
    assert.throws(() => pageTokenParam.parse(text, 'x'), /must be base64/, text)
  }
})

test('a limit and a cursor are refused in the style they were declared with', () => {
  const plain = limitParam({ default: 10, max: 100 })
  const schema = limitParam({ default: 10, max: 100, style: schemaStyle })
  assert.throws(() => plain.parse('101', 'limit'), /^Rejection: limit must be at most 100$/)
  assert.throws(
    () => schema.parse('101', 'limit'),
    (error: Rejection) => {
      assert.equal(error.message, 'limit must be <= 100')
      assert.equal(error.fault?.schemaPath, '#/properties/limit/maximum')
      return true
    },
  )
  const cursor = cursorParam('ns')
  assert.deepEqual(cursor.parse(encodeCursor([7, 'x']), 'cursor'), [7, 'x'])
  for (const wrong of [encodeCursor(['x', 7]), encodeCursor([7]), 'x', encodeCursor([7, '\0'])]) {
    assert.throws(() => cursor.parse(wrong, 'cursor'), /cursor must be a cursor of this list/)
  }
})
