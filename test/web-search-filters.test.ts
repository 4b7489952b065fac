// How the web client reads the operators of a search.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryOf, readQuery } from '../web/client/search/filters.ts'

test('operators are filters outside of quotation marks, and stay in place among alternatives', () => {
  const from = { name: 'from', value: 'egret' }
  assert.deepEqual(readQuery('fog from:egret'), { words: 'fog', filters: [from] })
  assert.deepEqual(readQuery('"sale from:bob today" from:egret'), {
    words: '"sale from:bob today"',
    filters: [from],
  })
  for (const q of ['fog | from:egret', '(fog from:egret) reeds']) {
    assert.deepEqual(readQuery(q), { words: q, filters: [] })
  }
})

test('a filter that is added holds for all alternatives', () => {
  const filters = [{ name: 'has', value: 'pictures' }] as const
  assert.equal(queryOf('fog | reeds', filters), '(fog | reeds) has:pictures')
  assert.equal(queryOf('fog | reeds', []), 'fog | reeds')
  assert.equal(queryOf('"fog | reeds"', filters), '"fog | reeds" has:pictures')
})
