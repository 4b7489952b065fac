import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ENGLISH, languageOf, PSEUDO } from '../base/languages/languages.ts'
import { vocabularyOf } from '../protocol/vocabulary.ts'
import { type Said, translator, wordsOf } from './translator.ts'

const words = wordsOf(vocabularyOf('note, notes, post, share, shares, shared'))

describe('what the server says to people', () => {
  it('a message is said in a language that has it, otherwise in English, and in the words of the server', () => {
    const inEnglish = translator(ENGLISH, words)
    const other = translator(PSEUDO, words)
    const message = '{who} liked your {post}'
    assert.equal(inEnglish(message, { who: 'Ada' }), 'Ada liked your note')
    assert.match(other(message, { who: 'Ada' }), /^\[Ada líkéd yöür note~+\]$/)
    assert.equal(inEnglish('{Reposts} of all', {}), 'Shares of all')
    assert.equal(other('Nobody has translated this', {}), 'Nobody has translated this')
    assert.equal(other('constructor', {}), 'constructor')
    assert.equal(translator({ ...PSEUDO, code: 'xx' })('{n} left', { n: '1' }), '1 left')
  })

  it('a text that the server says is made of a message: no other text is taken for one', () => {
    // @ts-expect-error: the types refuse it, of which `npm run check` sees.
    const literal: Said = 'You have mail'
    const said: Said = translator(ENGLISH)('{n} left', { n: 2 })
    assert.deepEqual([literal, said], ['You have mail', '2 left'])
  })

  it('a value cannot turn what stands behind it, and in a line from right to left it is kept apart', () => {
    const who = '\u202egnp.exe\u2069'
    assert.equal(translator(ENGLISH)('{who} followed you', { who }), 'gnp.exe followed you')
    const inArabic = translator(languageOf('ar')!)
    assert.equal(
      inArabic('Nobody has translated {who}', { who }),
      'Nobody has translated \u2068gnp.exe\u2069',
    )
  })

  it('a value is never read as a part of a message', () => {
    for (const who of ['{post}', '<b>x</b>', "'{", '#', '{who, plural, other {x}}']) {
      assert.equal(translator(ENGLISH, words)('{who} followed you', { who }), `${who} followed you`)
    }
  })
})
