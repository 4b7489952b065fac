import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasWords } from '../web/client/parts/has-words.ts'

test('a search in a list finds words without their accents and in any case, also with the two kinds of i of Turkish, and tells letters of other scripts apart', () => {
  for (const [typed, text] of [
    ['import', 'Import accounts'],
    ['IMPORT  acc', 'Import accounts'],
    ['istanbul', 'İstanbul'],
    ['İSTANBUL', 'istanbul'],
    ['hatirlatma', 'Hatırlatma'],
    ['HATIRLATMA', 'Hatırlatma'],
    ['uber', 'Über uns'],
    ['Über', 'uber uns'],
    ['', 'anything'],
  ] as const)
    assert.ok(hasWords(typed, text), `${typed} in ${text}`)
  for (const [typed, text] of [
    ['import words', 'Import accounts'],
    ['が', 'かぎ'],
    ['की', 'का'],
  ] as const)
    assert.ok(!hasWords(typed, text), `${typed} not in ${text}`)
})
