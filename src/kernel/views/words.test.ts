import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authorToken,
  carriedToken,
  castTokens,
  castWords,
  MAX_TAGS,
  MAX_TOKENS,
  MAX_WORD_LENGTH,
  searchedPartOf,
  tagToken,
  tokensOf,
  unitsOf,
} from './words.ts'

const tokens = (text: string) => tokensOf(text).sort()

test('a text is cut into lower-case words at everything that is neither letter, number nor mark', () => {
  assert.deepEqual(unitsOf("Hello, World_2: it's 42!"), ['hello', 'world', '2', 'it', 's', '42'])
  assert.deepEqual(unitsOf(''), [])
  assert.deepEqual(unitsOf(' \0\n–—…“”'), [])
})

test('a word is found with and without diacritics in Latin, Greek and Cyrillic', () => {
  assert.deepEqual(unitsOf('Crème BRÛLÉE naïve Ångström'), ['creme', 'brulee', 'naive', 'angstrom'])
  assert.deepEqual(unitsOf('Ελλάδα ΟΔΟΣ οδός'), ['ελλαδα', 'οδοσ', 'οδοσ'])
  assert.deepEqual(unitsOf('Ёлка йод'), ['елка', 'иод'])
  assert.deepEqual(unitsOf('İstanbul'), unitsOf('istanbul'))
  assert.deepEqual(unitsOf('cafe\u0301'), ['cafe'])
})

test('vowel marks of Arabic and Hebrew need not be written, and marks of other scripts are letters', () => {
  assert.deepEqual(unitsOf('مُحَمَّد أحمد'), unitsOf('محمد احمد'))
  assert.deepEqual(unitsOf('שָׁלוֹם'), unitsOf('שלום'))
  assert.deepEqual(unitsOf('हिन्दी में'), ['हिन्दी', 'में'])
})

test('letters that a keyboard lacks and forms of one letter are the same', () => {
  assert.deepEqual(unitsOf('Straße STRASSE'), ['strasse', 'strasse'])
  assert.deepEqual(unitsOf('Łódź Ærø Đặng kız'), ['lodz', 'aero', 'dang', 'kiz'])
  assert.deepEqual(unitsOf('ایران کتاب مدرسة'), unitsOf('ايران كتاب مدرسه'))
  assert.deepEqual(unitsOf('ســَلام'), unitsOf('سلام'))
  assert.deepEqual(unitsOf('می\u200cخواهم'), unitsOf('میخواهم'))
  assert.deepEqual(unitsOf('ラーメン'), unitsOf('らーめん'))
  assert.deepEqual(unitsOf('١٢٣ ۴۵ २०'), ['123', '45', '20'])
})

test('full-width and compatibility characters equal the plain ones', () => {
  assert.deepEqual(unitsOf('ＡＢＣ１２３ ﬁne ①'), ['abc123', 'fine', '1'])
  assert.deepEqual(tokens('ｶﾞ'), tokens('ガ'))
})

test('unspaced scripts yield each character and each pair of neighbours', () => {
  assert.deepEqual(tokens('日本語'), ['日', '日本', '本', '本語', '語'].sort())
  assert.deepEqual(tokens('日 本'), ['日', '本'].sort())
  assert.deepEqual(tokens('한국'), ['국', '한', '한국'].sort())
  assert.deepEqual(tokens('ไทย'), ['ไ', 'ไท', 'ท', 'ทย', 'ย'].sort())
  assert.deepEqual(tokens('iPhone手机2'), ['2', 'iphone', '手', '手机', '机'].sort())
  for (const text of ['ພາສາ', 'ភាសា', 'မြန်မာ', 'ラーメン', 'ひらがな']) {
    assert.ok(tokens(text).length > [...text].length, text)
  }
})

test('an emoji sequence is one token without its skin tone and variation', () => {
  assert.deepEqual(unitsOf('👍🏽👍'), ['👍', '👍'])
  assert.deepEqual(unitsOf('❤️ ❤'), ['❤', '❤'])
  assert.deepEqual(unitsOf('go👨‍👩‍👧‍👦now 🇩🇪🇫🇷'), ['go', '👨‍👩‍👧‍👦', 'now', '🇩🇪', '🇫🇷'])
  assert.equal(unitsOf('1️⃣').length, 1)
  assert.notDeepEqual(unitsOf('#️⃣'), unitsOf('*️⃣'))
  for (const token of unitsOf('#️⃣ *️⃣ 1️⃣')) {
    assert.ok(!/[#*]/.test(token) && !token.includes('\ufe0f'), token)
  }
})

test('long words are cut and the number of tokens is bounded', () => {
  assert.deepEqual(unitsOf('x'.repeat(70)), ['x'.repeat(64)])
  assert.deepEqual([...unitsOf('ä𝒳'.repeat(70))[0]!].length, 64)
  const many = Array.from({ length: 3_000 }, (_, i) => `w${i}`).join(' ')
  assert.equal(tokensOf(many).length, MAX_TOKENS)
})

test('no text yields the token of an author', () => {
  assert.equal(authorToken(7), '\ue000a7')
  assert.ok(!tokensOf('\ue000a7 a7').includes(authorToken(7)))
})

test('a url is searched by its host and path', () => {
  assert.deepEqual(unitsOf(searchedPartOf('https://Example.org/Caf%C3%A9/x?q=1#y')), [
    'example',
    'org',
    'cafe',
    'x',
  ])
  assert.equal(searchedPartOf('no url'), '')
  assert.equal(searchedPartOf('https://example.org/%ff'), 'example.org /%ff')
})

test('tokens hold no character at which an engine would split or end them', () => {
  const hostile = 'a"b\'c\\d:*NEAR(e) & | ! <-> {x} \u0000 \u2028 ٠١٢ x\u200dy'
  for (const token of tokensOf(hostile)) {
    assert.match(token, /^[^\0-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\s]+$/u)
  }
})

test('every code point, alone and beside others, yields only tokens that both engines take', () => {
  const CODE_POINTS = 0x110000
  const AT_A_TIME = 300
  for (let first = 0; first < CODE_POINTS; first += AT_A_TIME) {
    const characters = Array.from({ length: AT_A_TIME }, (_, i) => first + i)
      .filter((code) => code < CODE_POINTS && (code < 0xd800 || code > 0xdfff))
      .map((code) => String.fromCodePoint(code))
    for (const token of tokensOf(characters.join(' '), characters.join(''))) {
      // PostgreSQL refuses empty ones and NUL, and spaces separate them.
      assert.match(token, /^[^\0\s]+$/u, `from U+${first.toString(16)} on`)
    }
  }
})

test('a cast is found by its author, the tokens of its text and addresses, and what it carries', () => {
  const wordsOf = (text: string, urls: readonly string[]) =>
    new Set(castWords(7, text, urls).split(' '))
  const texts = [
    '',
    ' ,\0 ',
    "Rooks, ROOKS and a rook's 2 nests_3 {~}",
    `${'x'.repeat(MAX_WORD_LENGTH + 1)} ${'Y'.repeat(MAX_WORD_LENGTH)}`,
    'a '.repeat(2 * MAX_TOKENS),
    Array.from({ length: MAX_TOKENS + 1 }, (_, i) => i).join(' '),
    'Crème 東京',
  ]
  for (const text of texts) {
    assert.deepEqual(wordsOf(text, []), new Set([authorToken(7), ...tokensOf(text)]))
    assert.deepEqual(
      wordsOf(text, ['https://example.com/rooks']),
      new Set([authorToken(7), ...tokensOf(text, 'example.com /rooks'), carriedToken('links')]),
    )
  }
})

test('a cast is found by its tags, whatever their case and accents, and by nothing that only looks like one', () => {
  const tags = (text: string) =>
    castTokens(text, ['x.org /#no']).filter((token) => token.startsWith('\ue000t'))
  assert.deepEqual(tags('#Café and #café_bar, (#日本語) #2026a'), [
    ...['cafe', 'cafe_bar', '日本語', '2026a'].map(tagToken),
  ])
  assert.deepEqual(tags('#1 a#b ##c /#d &#39; https://x.org/?#e # f #️⃣'), [])
  assert.ok(castWords(7, 'see #Rooks', []).split(' ').includes(tagToken('rooks')))
  for (const tag of ['a_b', 'ﷺ', 'ǅ_ß', 'x'.repeat(100)]) {
    assert.match(tagToken(tag), /^[^\0-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\s]+$/u)
  }
  const many = Array.from({ length: 2 * MAX_TAGS }, (_, i) => `#t${i}`).join(' ')
  assert.equal(tags(many).length, MAX_TAGS)
})
