import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_PAGE_BYTES, pageOf } from './page.ts'

const HALF = MAX_PAGE_BYTES / 2
const page = (sizes: number[], size: number) =>
  pageOf(
    sizes,
    size,
    (row) => Buffer.from([row % 256]),
    (row) => row,
  )

test('a page ends with the row that reaches its bound in bytes, and its token is of that row', () => {
  const { items, next } = page([HALF, HALF, 1], 100)
  assert.deepEqual([items, next], [[HALF, HALF], Buffer.from([0])])
  assert.deepEqual(page([HALF - 1, HALF, 7, 9], 100).items, [HALF - 1, HALF, 7])
})

test('a page has at least one row, however large it is', () => {
  assert.deepEqual(page([3 * MAX_PAGE_BYTES, 5], 100).items, [3 * MAX_PAGE_BYTES])
})

test('a last page has no token, whether or not it reaches its bound in bytes', () => {
  assert.deepEqual(page([HALF, HALF], 2), { items: [HALF, HALF], next: undefined })
  assert.deepEqual(page([1, 2], 2), { items: [1, 2], next: undefined })
  assert.deepEqual(page([1, 2, 3], 2).items, [1, 2])
})
