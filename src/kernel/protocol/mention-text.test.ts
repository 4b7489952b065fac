import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { utf8Length } from './codec/bytes.ts'
import { type MentionedText, namesIn, takeMentions } from './mention-text.ts'

const FIDS: Readonly<Record<string, number>> = {
  alice: 1,
  bob: 2,
  'carol.eth': 3,
  'dave.base.eth': 4,
  dave: 5,
  'e-': 6,
  e: 7,
  a: 8,
  abcdefghijklmnop: 9,
}
const fidOf = (name: string) => (Object.hasOwn(FIDS, name) ? FIDS[name] : undefined)
const nameOf = (fid: number) => Object.keys(FIDS).find((name) => FIDS[name] === fid)!

/** What the interface shows: each name at its byte position. */
function shown({ text, mentions, mentionsPositions }: MentionedText): string {
  const bytes = Buffer.from(text)
  let out = ''
  let from = 0
  for (const [i, fid] of mentions.entries()) {
    const at = mentionsPositions[i]!
    out += `${bytes.subarray(from, at)}@${nameOf(fid)}`
    from = at
  }
  return out + bytes.subarray(from)
}

/** [text as written, text as stored, [fid, byte position]...] */
const CASES: readonly [string, string, ...[number, number][]][] = [
  ['@alice', '', [1, 0]],
  ['hi @alice', 'hi ', [1, 3]],
  ['@alice hi', ' hi', [1, 0]],
  ['@alice @bob', ' ', [1, 0], [2, 1]],
  ['(@alice)', '()', [1, 1]],
  ['@alice-@bob', '-', [1, 0], [2, 1]],
  ['@alice, @bob.', ', .', [1, 0], [2, 2]],
  ['ü@alice', 'ü@alice'],
  ['ü @alice', 'ü ', [1, 3]],
  ['👨‍👩‍👧@alice', '👨‍👩‍👧', [1, 18]],
  ['日本。@bobさん', '日本。さん', [2, 9]],
  ['@bobé', '@bobé'],
  ['日本。@bob。', '日本。。', [2, 9]],
  ['mail@alice', 'mail@alice'],
  ['_@alice', '_@alice'],
  ['7@alice', '7@alice'],
  ['@@alice', '@', [1, 1]],
  ['@alice@bob', '@bob', [1, 0]],
  ['@Alice', '@Alice'],
  ['@alicE', '@alicE'],
  ['@alice_', '@alice_'],
  ['@nobody', '@nobody'],
  ['@carol.eth', '', [3, 0]],
  ['@carol.eth.', '.', [3, 0]],
  ['@carol.ethx', '@carol.ethx'],
  ['@carol', '@carol'],
  ['@dave.base.eth', '', [4, 0]],
  ['@dave.eth', '@dave.eth'],
  ['@dave.eth.', '@dave.eth.'],
  ['@dave.ETH', '@dave.ETH'],
  ['@alice.base.eth', '@alice.base.eth'],
  ['@dave.carol.eth', '@dave.carol.eth'],
  ['@e-.eth', '@e-.eth'],
  ['@dave.ethx', '.ethx', [5, 0]],
  ['@dave.ethé', '.ethé', [5, 0]],
  ['@dave.', '.', [5, 0]],
  ['@dave. @alice.', '. .', [5, 0], [1, 2]],
  ['@dave.base', '.base', [5, 0]],
  ['@e-', '', [6, 0]],
  ['@e--', '--', [7, 0]],
  ['@e- @e', ' ', [6, 0], [7, 1]],
  ['@abcdefghijklmnop', '', [9, 0]],
  ['@abcdefghijklmnopq', '@abcdefghijklmnopq'],
  ['@-alice', '@-alice'],
  ['@', '@'],
  ['', ''],
]

describe('mentions in the text of a cast', () => {
  for (const [written, text, ...expected] of CASES) {
    test(`the mentions in ${JSON.stringify(written)} are taken out of the text`, () => {
      const taken = takeMentions(written, fidOf)
      assert.equal(taken.text, text)
      const pairs = taken.mentions.map((fid, i) => [fid, taken.mentionsPositions[i]])
      assert.deepEqual(pairs, expected)
      assert.equal(shown(taken), written)
    })
  }

  test('the eleventh mention of a text stays text', () => {
    const written = Array.from({ length: 12 }, () => '@bob').join(' ')
    const taken = takeMentions(written, fidOf)
    assert.equal(taken.mentions.length, 10)
    assert.equal(shown(taken), written)
  })

  test('a text with many at signs is read in linear time', () => {
    // Quadratic time would be minutes.
    const written = '@x-'.repeat(100_000)
    assert.equal(takeMentions(written, fidOf).text, written)
    const names = namesIn(`@a${'-'.repeat(300_000)} @${'a-'.repeat(300_000)}`)
    assert.deepEqual(names, ['a'])
    assert.equal(namesIn(`@a${'.a'.repeat(300_000)}`).length, 1)
    assert.equal(namesIn('@a.a'.repeat(100_000)).length, 1)
  })

  test('any text comes back as it was written, with ordered positions within it', () => {
    const piece = fc.oneof(
      fc.constantFrom(...Object.keys(FIDS).map((name) => `@${name}`)),
      fc.constantFrom(
        '@',
        '-',
        '.',
        '.eth',
        '.base.eth',
        ' ',
        '_',
        'ü',
        'e\u0301',
        '👩‍🚀',
        '日',
        '\n',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const written = pieces.join('')
        const taken = takeMentions(written, fidOf)
        assert.equal(shown(taken), written)
        assert.ok(taken.mentions.length <= 10)
        const bounds = [0, ...taken.mentionsPositions, utf8Length(taken.text)]
        assert.deepEqual(
          bounds,
          bounds.toSorted((a, b) => a - b),
        )
        const known = new Set(namesIn(written))
        for (const fid of taken.mentions) assert.ok(known.has(nameOf(fid)))
      }),
      { seed: 7 },
    )
  })
})
