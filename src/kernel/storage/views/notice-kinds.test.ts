import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL_NOTICE_KINDS, NOTICE_GROUPS, noticeKindOf } from './notice-kinds.ts'

test('each kind of notice has a number and a group of its own', () => {
  for (const kind of ALL_NOTICE_KINDS) assert.equal(noticeKindOf(kind.number), kind)
  assert.equal(new Set(NOTICE_GROUPS).size, ALL_NOTICE_KINDS.length)
})
