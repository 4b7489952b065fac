import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelMentionsIn, insertMentions } from './cast-text.ts'

const NAMES = new Map([
  [1, 'ann'],
  [2, 'bob.eth'],
])
const nameOf = (fid: number) => NAMES.get(fid) ?? `!${fid}`
const inserted = (text: string, mentions: number[], positions: number[]) =>
  insertMentions(text, mentions, positions, nameOf)

test('mentions stand at their byte positions: at both ends, adjacent, and in multi-byte text', () => {
  const cases: [string, number[], number[], string][] = [
    ['', [1], [0], '@ann'],
    ['hello', [1], [0], '@annhello'],
    [' and ', [1, 2], [0, 5], '@ann and @bob.eth'],
    ['hi ', [1, 2], [3, 3], 'hi @ann@bob.eth'],
    ['é 👩‍👩‍👧 ', [2], [22], 'é 👩‍👩‍👧 @bob.eth'],
    ['日本語', [1], [3], '日@ann本語'],
    ['who? ', [9], [5], 'who? @!9'],
  ]
  for (const [text, mentions, positions, expected] of cases) {
    const found = inserted(text, mentions, positions)
    assert.equal(found.text, expected)
    for (const { fid, range } of found.mentions) {
      assert.equal(found.text.slice(range.start, range.end), `@${nameOf(fid)}`)
    }
  }
})

test('channels are mentioned by a slash at the beginning or after white space', () => {
  const idsIn = (text: string) => channelMentionsIn(text).map(({ id }) => id)
  assert.deepEqual(idsIn('/one and /two\n/three'), ['one', 'two', 'three'])
  assert.deepEqual(idsIn('https://example.org/one a/b //c'), [])
  assert.deepEqual(idsIn('/founders, /a-b.'), ['founders', 'a-b'])
  assert.deepEqual(idsIn(`/${'x'.repeat(17)}`), [])
  const text = '👋 /one'
  const range = channelMentionsIn(text)[0]!.range
  assert.equal(text.slice(range.start, range.end), '/one')
})
