import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fragment, joined, listed, raw } from './fragment.ts'

test('the values of a statement are in the order of its places, wherever its fragments stand', () => {
  const own = (column: string, fid: number) => fragment`${raw(column)} = ${fid}`
  const all = joined([own('a', 1), fragment`b in (${listed(['x', 'y'])})`, own('c', 3)], ' and ')
  const { text, values } = fragment`select ${0} from t where ${all} limit ${9}`
  assert.equal(text, 'select ? from t where a = ? and b in (?, ?) and c = ? limit ?')
  assert.deepEqual(values, [0, 1, 'x', 'y', 3, 9])
})

test('a text that is not marked as SQL is a value, and an empty list holds nothing', () => {
  const { text, values } =
    fragment`select * from t where name = ${"'; --"} and id in (${listed([])})`
  assert.equal(text, 'select * from t where name = ? and id in (null)')
  assert.deepEqual(values, ["'; --"])
})

test('a fragment in a template without the tag throws, because its values would be lost', () => {
  assert.throws(() => `select * from t where ${fragment`a = ${1}`}`, /without the tag/)
})
