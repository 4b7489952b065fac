import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import compile from 'icu-minify/compile'
import { type Compiled, isRightToLeft, partsOf, type Values } from './format.ts'
import { LANGUAGES } from './languages.ts'

const format = (message: string, values: Values = {}, language = 'en') =>
  partsOf(compile(message) as Compiled, language, values).join('')

describe('messages in ICU MessageFormat', () => {
  it('messages have the plural forms of each language, and numbers as it writes them', () => {
    const polish = '{n, plural, one {# wpis} few {# wpisy} many {# wpisów} other {# wpisu}}'
    const inPolish = [1, 2, 5, 22, 112, 1.5].map((n) => format(polish, { n }, 'pl'))
    assert.deepEqual(inPolish, [
      '1 wpis',
      '2 wpisy',
      '5 wpisów',
      '22 wpisy',
      '112 wpisów',
      '1,5 wpisu',
    ])
    const arabic = '{n, plural, zero {z} one {o} two {t} few {f #} many {m #} other {x #}}'
    const inArabic = [0, 1, 2, 3, 11, 100].map((n) => format(arabic, { n }, 'ar'))
    assert.deepEqual(inArabic, ['z', 'o', 't', 'f 3', 'm 11', 'x 100'])
    assert.equal(format('{n} replies', { n: 12345 }, 'de'), '12.345 replies')
    assert.equal(format('{n} replies', { n: '12345' }, 'de'), '12345 replies')
    assert.equal(format('{n, plural, =0 {none} one {#} other {#}}', { n: 0 }), 'none')
    assert.equal(format('{n, selectordinal, one {#st} two {#nd} other {#th}}', { n: 22 }), '22nd')
  })

  it('messages choose by a value, also where it has the name of something that every object has', () => {
    const message = '{kind, select, user {a person} other {{n, plural, one {one} other {# more}}}}'
    assert.equal(format(message, { kind: 'user', n: 1 }), 'a person')
    for (const kind of ['constructor', '__proto__', 'toString', ''])
      assert.equal(format(message, { kind, n: 3 }), '3 more', kind)
  })

  it('messages take the text of a value as it is: it is no part of the message', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a name may look like one
    for (const name of ['{n}', '<b>x</b>', '\\u202E', '#', "'{", '${n}'])
      assert.equal(
        format('{name} <b>likes</b> it', { name, b: (inner) => `*${inner.join('')}*` as never }),
        `${name} *likes* it`,
      )
  })

  it('messages keep elements as they are, and give those around a text what is inside', () => {
    const time = { at: 1 }
    const parts = partsOf<object>(
      compile('Joined {time}, see <a>the {n} rules</a>.') as Compiled,
      'en',
      {
        time,
        n: 3,
        a: (inner) => ({ inner }),
      },
    )
    assert.deepEqual(parts, ['Joined ', time, ', see ', { inner: ['the ', '3', ' rules'] }, '.'])
  })

  it('a sentence that ends with an abbreviation has one full stop', () => {
    const ends = (day: string, code: string) => format('Endet {day}. Gut.', { day }, code)
    assert.equal(ends('30 лист. 2026 р.', 'uk'), 'Endet 30 лист. 2026 р. Gut.')
    assert.equal(ends('a.m.', 'ar'), 'Endet \u2068a.m.\u2069 Gut.')
    assert.equal(ends('heute', 'de'), 'Endet heute. Gut.')
    assert.equal(format('{name}…', { name: 'Ltd.' }, 'de'), 'Ltd.…')
  })

  it('a value keeps its own direction within a line that runs from right to left', () => {
    assert.equal(format('حظر {who}', { who: '@kim' }, 'ar'), 'حظر \u2068@kim\u2069')
    assert.equal(format('حظر @{who}', { who: 'kim' }, 'ar'), 'حظر \u2068@kim\u2069')
    assert.equal(
      format('@{a} @{b}: fid {fid}', { a: 'kim', b: 'ada', fid: '7' }, 'ar'),
      '\u2068@kim\u2069 \u2068@ada\u2069: fid 7',
    )
    assert.equal(
      format('في /{id} #{tag}', { id: 'a', tag: 'b' }, 'ar'),
      'في \u2068/a\u2069 \u2068#b\u2069',
    )
    assert.equal(format('https://{host}', { host: 'a.b' }, 'ar'), 'https://\u2068a.b\u2069')
    for (const code of ['ar', 'fa']) {
      const digits = format('در /{id} @{name} #{tag}', { id: '123', name: '1', tag: '2026' }, code)
      assert.equal(digits, 'در \u2068/123\u2069 \u2068@1\u2069 \u2068#2026\u2069', code)
    }
    assert.equal(format('\u200F/{id}:', { id: 'a' }, 'ar'), '\u200F\u2068/a\u2069:')
    assert.equal(format('{a} از {b}', { a: '1', b: '2' }, 'fa'), '1 از 2')
    assert.equal(format('In /{id}', { id: '123' }, 'de'), 'In /123')
    assert.equal(format('Block @{who}', { who: 'kim' }, 'de'), 'Block @kim')
    assert.equal(format('Block {who}', { who: '@kim' }, 'de'), 'Block @kim')
    for (const { code, dir } of LANGUAGES) assert.equal(isRightToLeft(code), dir === 'rtl', code)
  })
})
