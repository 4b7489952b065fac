import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTypedWords } from '../web/client/custody/typed-words.ts'

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

test('recovery words are read however they were written down: in capitals, in numbered lines, with spaces of other kinds', async () => {
  const lines = WORDS.split(' ').map((word, at) => `${at + 1}. ${word}`)
  for (const typed of [
    WORDS,
    ` ${WORDS.toUpperCase()}\n`,
    lines.join('\r\n'),
    WORDS.replaceAll(' ', '\u00a0 '),
    WORDS.replaceAll(' ', ', '),
  ]) {
    assert.equal(await readTypedWords(typed), WORDS)
  }
})

test('what is wrong with recovery words is said by the places of the words, which are not repeated', async () => {
  const read = (typed: string) =>
    readTypedWords(typed).then(
      () => '',
      ({ message }) => message,
    )
  assert.match(await read(WORDS.replace('year', 'yearr')), /^Word 4 is none of those/)
  const two = await read(WORDS.replace('year', 'yearr').replace('yellow', 'gelb'))
  assert.match(two, /^Words 4 and 12 are none of those/)
  assert.doesNotMatch(two, /yearr|gelb/)
  assert.match(await read(`${WORDS} legal`), /^These are 13 words, and 12 are needed/)
  assert.match(await read('legal'), /^This is 1 word, /)
  assert.match(await read(''), /^These are 0 words, /)
})
