import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inWords, isVocabulary, VOCABULARIES, vocabularyOf } from './vocabulary.ts'

test('a text of the program has the words of the server in its places, with capitals where a sentence begins', () => {
  const words = vocabularyOf('notice, notices, post, share, shares, shared')
  assert.equal(inWords('{reposted} your {post}', words), 'shared your notice')
  assert.equal(inWords('{Reposts} of your {posts}', words), 'Shares of your notices')
  assert.equal(inWords('{other} stays', words), '{other} stays')
})

test('words that are missing, too many, too long or no words are not taken, and the usual ones count', () => {
  for (const words of VOCABULARIES) assert.ok(isVocabulary(words), words)
  const long = 'a'.repeat(24)
  assert.ok(isVocabulary(`${long}, b, c, d, e, f`))
  for (const wrong of [
    '',
    'post',
    `${long}a, b, c, d, e, f`,
    'a, b, c, d, e, <f>',
    'a,b,c,d,e,f',
  ]) {
    assert.ok(!isVocabulary(wrong), wrong)
    assert.equal(vocabularyOf(wrong).post, 'post')
  }
})
