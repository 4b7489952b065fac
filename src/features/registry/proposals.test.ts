import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FNAME_PATTERN } from '../../kernel/protocol/names.ts'
import { candidatesOf, nameOf } from './proposals.ts'

test('what somebody is called is written in the letters of names', () => {
  const names = {
    'Café Zoë': 'cafe-zoe',
    'Märta Ö': 'marta-o',
    'Łukasz Żółć': 'lukasz-zolc',
    'Straße 7': 'strasse-7',
    'O’Brien': 'obrien',
    'Ærø Þór': 'aero-thor',
    'Жанна Щукина': 'zhanna-shchukina',
    Αθηνά: 'athina',
    'ﬁne  ＷＩＤＥ': 'fine-wide',
    '  --dash-- ': 'dash',
    李小龙: '',
    '🐦🐦': '',
  }
  for (const [called, name] of Object.entries(names)) assert.equal(nameOf(called), name, called)
})

test('a name that is too long keeps the words that fit', () => {
  assert.equal(candidatesOf('Maximilian Alexander of Hohenstein')[0], 'maximilian')
  assert.equal(candidatesOf('Anna Lena Petersen Thomsen')[0], 'anna-lena')
  assert.equal(candidatesOf('Donaudampfschifffahrtsgesellschaft')[0], 'donaudampfschiff')
})

test('candidates are names, at most twelve, and each once', () => {
  for (const called of ['Café Zoë', 'a', '9', 'x'.repeat(128), '-a-'.repeat(40), 'é'.repeat(60)]) {
    const found = candidatesOf(called)
    assert(found.length > 0 && found.length <= 12, called)
    assert.equal(new Set(found).size, found.length)
    for (const name of found) assert.match(name, FNAME_PATTERN)
  }
})
